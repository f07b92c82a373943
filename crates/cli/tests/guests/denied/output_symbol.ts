// expect: error program.bad_output: the output is a symbol, which JSON cannot hold
// hint: return plain data: objects, lists, text, numbers, booleans, null
return Symbol('no JSON');
