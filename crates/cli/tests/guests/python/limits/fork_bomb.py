# expect: error limit.time: the program hit its limit `time` of 800 ms: it ran for {n} ms
# hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
# timeout: 800 ms
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
