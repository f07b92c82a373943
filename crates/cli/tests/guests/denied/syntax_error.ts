// expect: error program.syntax at line 4, column 24: the program does not parse: Expected `,` or `)` but found `;`
// hint: the run suggests: the line reads `const sum = rows.reduce((a, b) => a + b;`
const rows = [1, 2, 3];
const sum = rows.reduce((a, b) => a + b;
return sum;
