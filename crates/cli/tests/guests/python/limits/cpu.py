# expect: error limit.cpu: the program used more than its limit of 2 s of CPU time
# hint: do less per run, or let the user raise `limits.cpu`
def spin(n):
    while True:
        n += 1
spin(0)
