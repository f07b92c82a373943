# expect: error limit.time: the program hit its limit `time` of 500 ms: it ran for {n} ms
# hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
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
