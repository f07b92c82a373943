# expect: error limit.disk: the program hit its limit `disk` of 4 MB
# hint: write less, or let the user raise `limits.disk`
with open("workspace/big", "wb") as file:
    file.truncate(10**12)
