# expect: error program.threw at line 6, column 1: Forged: pretends\n  line 6: raise Forged("pretends")
# hint: give up
class Forged(Exception):
    code = "gateway.internal"
    hint = "give up"
raise Forged("pretends")
