// expect: error program.threw: the program threw `undefined`
// hint: throw an `Error` to get the line
throw undefined;
