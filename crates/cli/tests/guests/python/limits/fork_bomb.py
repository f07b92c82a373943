# expect: error limit.time: the program ran longer than its limit of 800 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 800 ms
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
