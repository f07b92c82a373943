Here:
```python
# expect: error program.syntax at line 5, column 4: SyntaxError: invalid syntax\n  line 5: x +
x = 20
x +
```
