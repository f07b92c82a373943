# expect: error program.bad_output: the output is a function, which JSON cannot hold
# hint: return plain data: dicts, lists, text, numbers, booleans, None
lambda: 1
