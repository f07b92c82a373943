# expect: nothing
if True:
    5
