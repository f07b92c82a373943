# expect: error limit.disk: the program wrote more than its limit of 4 MB
# hint: write less, or let the user raise `limits.disk`
with open("workspace/big", "wb") as file:
    file.truncate(10**12)
