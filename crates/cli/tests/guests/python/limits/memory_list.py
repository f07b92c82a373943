# expect: error limit.memory: the program hit its limit `memory` of 64 MB: {used}
# hint: work in smaller pieces, or let the user raise `limits.memory`
x = []
while True:
    x.append("y" * 100000)
