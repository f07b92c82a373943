// expect: error program.threw: the program threw: null
// hint: the run suggests: throw an `Error` to get the line
throw null;
