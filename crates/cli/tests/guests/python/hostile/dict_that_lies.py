# expect: error limit.memory: the program used more than its limit of 256 MB of memory
# hint: work in smaller pieces, or let the user raise `limits.memory`
class Endless(dict):
    def items(self):
        while True:
            yield ("key", self)
Endless(a=1)
