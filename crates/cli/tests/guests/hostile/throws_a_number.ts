// expect: error program.threw: the program threw: 42
// hint: the run suggests: throw an `Error` to get the line
throw 42n;
