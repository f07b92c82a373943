// expect: error file.refused at line 4, column 4: `fs.mkdirSync` is not available: programs can only read `./servers` and `./skills`
// hint: return the data instead, it is kept under a handle
const fs = require('fs');
fs.mkdirSync('/tmp/tidegate-guest');
