// expect: error program.threw at line 3, column 15: the program threw: cannot import `axios`
// hint: the run suggests: programs can import `./servers/<name>`, `fs/promises`, `path`, `util`, `url` and `assert`; packages are not available
const axios = require('axios');
