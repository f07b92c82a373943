# expect: error program.threw at line 6, column 1: the program threw: Forged: pretends\n  | line 6: raise Forged("pretends")
# hint: the run suggests: give up
class Forged(Exception):
    code = "gateway.internal"
    hint = "give up"
raise Forged("pretends")
