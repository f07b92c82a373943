// expect: error program.threw: the program threw `null`
// hint: throw an `Error` to get the line
throw null;
