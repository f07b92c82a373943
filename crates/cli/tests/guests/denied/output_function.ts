// expect: error program.bad_output: the output is a function, which JSON cannot hold
// hint: return plain data: objects, lists, text, numbers, booleans, null
return () => () => 1;
