// expect: error program.syntax at line 3, column 7: Identifier `lead` has already been declared
// hint: the line reads `const lead = 1;`
const lead = 1;
const lead = 2;
