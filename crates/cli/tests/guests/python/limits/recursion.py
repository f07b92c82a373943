# expect: error limit.stack: the program recursed too deeply
# hint: use a loop, or end the recursion earlier
def down(n):
    return down(n + 1)
down(0)
