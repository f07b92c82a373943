# expect: output [0,1,2]
# logs: "in\nout"
class Context:
    async def __aenter__(self):
        return await servers.hostile.echo(text="in")

    async def __aexit__(self, *error):
        print("out")

async def numbers():
    for number in range(3):
        yield number

async with Context() as entered:
    print(entered)
[number async for number in numbers()]
