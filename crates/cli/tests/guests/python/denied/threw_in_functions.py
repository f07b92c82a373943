# expect: error program.threw at line 3, column 12: the program threw: ZeroDivisionError: division by zero\n  | line 8, in <module>: outer(0)\n  | line 6, in outer: return inner(x)\n  | line 3, in inner: return 1 / x
def inner(x):
    return 1 / x

def outer(x):
    return inner(x)

outer(0)
