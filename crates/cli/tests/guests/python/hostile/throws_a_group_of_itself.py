# expect: error program.threw at line 6, column 1: the program threw: Odd: again\n  | - Odd: again (line 6)\n  | line 6: raise Odd("again")
class Odd(Exception):
    @property
    def exceptions(self):
        return (self,)
raise Odd("again")
