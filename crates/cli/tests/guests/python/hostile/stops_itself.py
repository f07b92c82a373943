# expect: error limit.time: the program ran longer than its limit of 700 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 700 ms
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
