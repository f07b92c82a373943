# expect: error program.syntax at line 3, column 1: the program does not parse: IndentationError: expected an indented block after function definition on line 2\n  | line 3: return 1
def f():
return 1
