# expect: error program.bad_output: the output cannot be written as JSON: `output[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0…0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]` is nested more than 128 deep
# hint: the run suggests: return flatter data
x = []
for _ in range(100000):
    x = [x]
x
