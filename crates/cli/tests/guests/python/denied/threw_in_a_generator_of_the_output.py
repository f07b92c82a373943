# expect: error program.threw at line 4, column 5: the program threw: ValueError: in the second row\n  | line 4: raise ValueError("in the second row")
def rows():
    yield 1
    raise ValueError("in the second row")

rows()
