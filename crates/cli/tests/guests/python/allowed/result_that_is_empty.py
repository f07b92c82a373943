# expect: output []
result = []
5
