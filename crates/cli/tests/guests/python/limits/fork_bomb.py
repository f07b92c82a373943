# expect: error limit.time: the program hit its limit `time` of 800 ms: it ran for {n} ms
# hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
# timeout: 800 ms
import os
import signal
# Those that were forked wait: if they all worked, their memory together could reach its
# limit before the time does, depending on the machine.
while True:
    try:
        if os.fork() == 0:
            signal.pause()
    except OSError:
        pass
