# expect: error program.bad_output: the output cannot be written as JSON: the output is a TextIOWrapper, which JSON cannot hold
# hint: the run suggests: return plain data: dicts, lists, text, numbers, booleans, None
open("workspace/x", "w")
