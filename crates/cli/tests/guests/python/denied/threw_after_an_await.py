# expect: error call.tool_failed at line 5, column 12: ToolError: `hostile__fail` failed: deep\n  line 10, in <module>: await outer()\n  line 8, in outer: return (await asyncio.gather(inner(), inner()))[0]\n  line 5, in inner: return await servers.hostile.fail(message="deep")
import asyncio

async def inner():
    return await servers.hostile.fail(message="deep")

async def outer():
    return (await asyncio.gather(inner(), inner()))[0]

await outer()
