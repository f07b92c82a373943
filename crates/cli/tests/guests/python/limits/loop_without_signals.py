# expect: error limit.time: the program ran longer than its limit of 500 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 500 ms
# within: 1500 ms
import signal
signal.setitimer(signal.ITIMER_REAL, 0)
signal.setitimer(signal.ITIMER_PROF, 0)
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
