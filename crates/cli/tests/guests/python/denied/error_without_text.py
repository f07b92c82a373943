# expect: error program.threw at line 6, column 1: the program threw: Odd\n  | line 6: raise Odd
class Odd(Exception):
    def __str__(self):
        raise ValueError

raise Odd
