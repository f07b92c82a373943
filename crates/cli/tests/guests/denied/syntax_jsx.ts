// expect: error program.syntax at line 3, column 22: Unterminated regular expression
// hint: this is JSX; programs are plain TypeScript: return data or text
const view = <b>bold</b>;
return view;
