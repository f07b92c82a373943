// expect: error program.threw at line 2, column 9: the program threw: `process.exit` is not available: use `return`
process.exit(0);
