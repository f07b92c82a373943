// expect: error program.syntax at line 5, column 11: the program does not parse: Unexpected token
// hint: the run suggests: the line reads `const b = ;`
// sent as: CRLF
const a = 1;
const b = ;
