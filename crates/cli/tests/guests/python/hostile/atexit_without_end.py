# expect: error limit.time: the program hit its limit `time` of 700 ms: it ran for {n} ms
# hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
# logs: any
# timeout: 700 ms
import atexit
def spin():
    while True:
        pass
atexit.register(spin)
"output"
