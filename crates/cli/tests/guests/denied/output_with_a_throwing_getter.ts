// expect: error program.bad_output at line 5, column 15: the output cannot be written as JSON: cannot be read
// hint: the run suggests: return plain data: objects, lists, text, numbers, booleans, null
return {
  get total() {
    throw new Error('cannot be read');
  },
};
