# expect: output ["0","1","2","3","4"]
import asyncio
from servers import hostile

limit = asyncio.Semaphore(2)

async def one(number):
    async with limit:
        return await hostile.echo(text=str(number))

await asyncio.gather(*(one(number) for number in range(5)))
