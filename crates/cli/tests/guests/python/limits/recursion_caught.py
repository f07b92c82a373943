# expect: output true
def down(n):
    try:
        return down(n + 1)
    except RecursionError:
        return n
down(0) > 100
