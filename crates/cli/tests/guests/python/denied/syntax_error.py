# expect: error program.syntax at line 3, column 6: the program does not parse: SyntaxError: '(' was never closed\n  | line 3: def f(
x = 1
def f(
print(x)
