Here is the program:
```python
# expect: output 21
x = 20
x + 1
```
That was it.
