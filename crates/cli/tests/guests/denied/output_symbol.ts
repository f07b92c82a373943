// expect: error program.bad_output: the output cannot be written as JSON: the output is a symbol, which JSON cannot hold
// hint: the run suggests: return plain data: objects, lists, text, numbers, booleans, null
return Symbol('no JSON');
