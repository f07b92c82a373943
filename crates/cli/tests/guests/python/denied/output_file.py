# expect: error program.bad_output: the output is a TextIOWrapper, which JSON cannot hold
# hint: return plain data: dicts, lists, text, numbers, booleans, None
open("workspace/x", "w")
