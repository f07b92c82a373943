// expect: error program.syntax at line 3, column 7: the program does not parse: Identifier `lead` has already been declared
// hint: the run suggests: the line reads `const lead = 1;`
const lead = 1;
const lead = 2;
