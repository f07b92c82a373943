# expect: output 1
result = 1
2
