# expect: error program.threw at line 2, column 8: the program threw: AssertionError: not equal\n  | line 2: assert 1 == 2, "not equal"
assert 1 == 2, "not equal"
