// expect: error program.bad_output at line 5, column 15: cannot be read
// hint: return plain data: objects, lists, text, numbers, booleans, null
return {
  get total() {
    throw new Error('cannot be read');
  },
};
