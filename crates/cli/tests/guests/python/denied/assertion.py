# expect: error program.threw at line 2, column 8: AssertionError: not equal\n  line 2: assert 1 == 2, "not equal"
assert 1 == 2, "not equal"
