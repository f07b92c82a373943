// expect: error program.syntax at line 3, column 22: Unterminated regular expression
// hint: the line reads `const view = <b>bold</b>;`
const view = <b>bold</b>;
return view;
