# expect: error limit.time at line 5, column 1: the program ran longer than its limit of 500 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 500 ms
# within: 1500 ms
servers.hostile.never()
