# expect: output 400
import asyncio
r = await asyncio.gather(*[servers.hostile.echo(text="x") for _ in range(400)])
len(r)
