# expect: error limit.memory: the program hit its limit `memory` of 256 MB: {used}
# hint: work in smaller pieces, or let the user raise `limits.memory`
class Endless(dict):
    def items(self):
        while True:
            yield ("key", self)
Endless(a=1)
