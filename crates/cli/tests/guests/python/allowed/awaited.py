# expect: output ["1","2","3",["0","1","2"],"in time",["waited"],["x","y"],"shielded",true]
import asyncio
from servers import hostile

first = await hostile.echo(text="1")
second, third = await asyncio.gather(hostile.echo(text="2"), hostile.echo("3"))
tasks = [asyncio.create_task(hostile.echo(text=str(n))) for n in range(3)]
of_tasks = [await task for task in tasks]
within = await asyncio.wait_for(hostile.echo(text="in time"), timeout=10)
done, pending = await asyncio.wait([asyncio.ensure_future(hostile.echo(text="waited"))])
completed = [await each for each in asyncio.as_completed([hostile.echo(text=text) for text in "xy"])]
shielded = await asyncio.shield(hostile.echo(text="shielded"))
[first, second, third, of_tasks, within, [task.result() for task in done], sorted(completed), shielded, await search_tools("echo") != []]
