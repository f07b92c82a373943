# expect: error program.threw: the program threw: Odd
class Meta(type):
    def __instancecheck__(cls, other):
        raise RuntimeError
    @property
    def __name__(cls):
        raise RuntimeError
class Odd(Exception, metaclass=Meta):
    pass
raise Odd
