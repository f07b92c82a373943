// expect: error program.threw: the program threw: undefined
// hint: the run suggests: throw an `Error` to get the line
throw undefined;
