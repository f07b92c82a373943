// expect: error program.bad_output: the output cannot be written as JSON: the output is a function, which JSON cannot hold
// hint: the run suggests: return plain data: objects, lists, text, numbers, booleans, null
return () => () => 1;
