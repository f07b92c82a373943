// expect: error program.threw: the program threw: just text
// hint: the run suggests: throw an `Error` to get the line
throw 'just text';
