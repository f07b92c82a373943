# expect: error limit.disk: the program wrote more than its limit of 4 MB
# hint: write less, or let the user raise `limits.disk`
with open("workspace/big", "wb") as file:
    for _ in range(100):
        file.write(b"x" * 10**6)
