// expect: error program.threw: the program threw `a value without text`
// hint: throw an `Error` to get the line
throw Symbol('odd');
