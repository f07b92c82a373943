# expect: output ["1","2","3"]
import asyncio

async def main(text):
    return await servers.hostile.echo(text=text)

first = await servers.hostile.echo(text="1")
[first, asyncio.run(main("2")), asyncio.run(main("3"))]
