# expect: output ["1","2","3","4"]
import asyncio

async def main(text):
    return await servers.hostile.echo(text=text)

loop = asyncio.new_event_loop()
first = loop.run_until_complete(main("1"))
loop.close()
[first, asyncio.run(main("2")), asyncio.run(main("3")), servers.hostile.echo(text="4")]
