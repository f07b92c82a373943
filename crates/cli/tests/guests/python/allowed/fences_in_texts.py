# expect: output [2,3]
report = """
```python
print("not this")
```
"""
more = '''```
"""
```'''
[report.count("```"), len(more.splitlines())]
