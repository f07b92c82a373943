# expect: output {"answered":500,"limit.tool_calls":9500}
import asyncio, collections

async def one():
    try:
        return "answered" if await servers.hostile.echo(text="x") == "x" else "wrong"
    except ToolError as error:
        return error.code

collections.Counter(await asyncio.gather(*(one() for _ in range(10000))))
