# expect: error program.bad_output: `output[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0…0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]` is nested more than 128 deep
# hint: return flatter data
x = []
for _ in range(100000):
    x = [x]
x
