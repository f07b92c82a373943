// expect: error program.threw at line 4, column 4: the program threw: `fs.mkdirSync` is not available: programs can only read `./servers` and `./skills`
// hint: the run suggests: return the data instead, it is kept under a handle
const fs = require('fs');
fs.mkdirSync('/tmp/tidegate-guest');
