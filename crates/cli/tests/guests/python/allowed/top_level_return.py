# expect: output {"number":4,"echo":"back"}
for number in range(10):
    if number == 4:
        return {"number": number, "echo": servers.hostile.echo(text="back")}
print("not reached")
