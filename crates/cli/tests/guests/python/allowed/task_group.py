# expect: output ["a","b","c"]
# python: 3.11
import asyncio
from servers import hostile

async def main():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(hostile.echo(text=text)) for text in "abc"]
    return [task.result() for task in tasks]

asyncio.run(main())
