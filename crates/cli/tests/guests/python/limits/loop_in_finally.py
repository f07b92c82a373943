# expect: error limit.time: the program hit its limit `time` of 500 ms: it ran for {n} ms
# hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
# timeout: 500 ms
# within: 1500 ms
try:
    while True:
        pass
finally:
    while True:
        pass
