# expect: error limit.output: the program printed or returned more than its limit of 8 MB
# hint: print and return less, or let the user raise `limits.output`
# logs: any
while True:
    print("x" * 1000)
