// expect: error program.syntax at line 3, column 22: the program does not parse: Unterminated regular expression
// hint: the run suggests: this is JSX; programs are plain TypeScript: return data or text
const view = <b>bold</b>;
return view;
