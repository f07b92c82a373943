# expect: error limit.memory: the program used more than its limit of 64 MB of memory
# hint: work in smaller pieces, or let the user raise `limits.memory`
x = bytearray(10**10)
