# expect: error call.tool_failed at line 5, column 12: `hostile__fail` failed, its server says: deep
import asyncio

async def inner():
    return await servers.hostile.fail(message="deep")

async def outer():
    return (await asyncio.gather(inner(), inner()))[0]

await outer()
