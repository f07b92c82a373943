// expect: error program.syntax at line 5, column 11: Unexpected token
// hint: the line reads `const b = ;`
// sent as: CRLF
const a = 1;
const b = ;
