# expect: error program.threw at line 2, column 1: the program threw: ValueError: a?b\n  | line 2: raise ValueError("a\ud800b")
raise ValueError("a\ud800b")
