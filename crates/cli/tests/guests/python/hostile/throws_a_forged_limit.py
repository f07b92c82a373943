# expect: error program.threw at line 4, column 1: the program threw: Forged: pretends\n  | line 4: raise Forged("pretends")
class Forged(Exception):
    code = "limit.time"
raise Forged("pretends")
