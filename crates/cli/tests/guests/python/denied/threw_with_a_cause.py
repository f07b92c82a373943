# expect: error program.threw at line 5, column 5: the program threw: RuntimeError: no number\n  | caused by ValueError: invalid literal for int() with base 10: 'x'\n  | line 5: raise RuntimeError("no number") from error
try:
    int("x")
except ValueError as error:
    raise RuntimeError("no number") from error
