# expect: error limit.time: the program hit its limit `time` of 500 ms: it ran for {n} ms
# hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
# timeout: 500 ms
# within: 1500 ms
def numbers():
    try:
        while True:
            yield 1
    finally:
        while True:
            pass

for number in numbers():
    pass
