# expect: error program.bad_output: the output cannot be written as JSON: `output[0]` contains itself
# hint: the run suggests: return plain data without cycles
a = []
a.append(a)
a
