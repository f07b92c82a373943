# expect: error limit.cpu: the program hit its limit `cpu` of 2 s: it used {n} ms of CPU time
# hint: do less per run, or let the user raise `limits.cpu`
def spin(n):
    while True:
        n += 1
spin(0)
