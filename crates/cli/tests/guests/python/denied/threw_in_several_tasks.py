# expect: error program.threw at line 3, column 1: the program threw: ExceptionGroup: two (2 sub-exceptions)\n  | - ValueError: a\n  | - KeyError: 'b'\n  | line 3: raise ExceptionGroup("two", [ValueError("a"), KeyError("b")])
# python: 3.11
raise ExceptionGroup("two", [ValueError("a"), KeyError("b")])
