# expect: error limit.time: the program ran longer than its limit of 500 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 500 ms
# within: 1500 ms
class Slow:
    def _asdict(self):
        while True:
            pass
Slow()
