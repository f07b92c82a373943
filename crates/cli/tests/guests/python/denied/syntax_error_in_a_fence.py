Here:
```python
# expect: error program.syntax at line 5, column 4: the program does not parse: SyntaxError: invalid syntax\n  | line 5: x +
x = 20
x +
```
