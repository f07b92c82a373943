// expect: error program.threw: the program threw: a value without text
// hint: the run suggests: throw an `Error` to get the line
throw Symbol('odd');
