# expect: error program.bad_output: the output cannot be written as JSON: the output is a function, which JSON cannot hold
# hint: the run suggests: return plain data: dicts, lists, text, numbers, booleans, None
lambda: 1
