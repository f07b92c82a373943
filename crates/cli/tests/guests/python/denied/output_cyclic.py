# expect: error program.bad_output: `output[0]` contains itself
# hint: return plain data without cycles
a = []
a.append(a)
a
