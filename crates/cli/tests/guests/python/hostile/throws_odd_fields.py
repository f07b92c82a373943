# expect: error program.threw: the program threw: Odd
class Odd(Exception):
    code = 5
    hint = ["x"]
    exceptions = 7
    __cause__ = 3
    @property
    def name(self):
        raise ValueError
raise Odd("odd")
