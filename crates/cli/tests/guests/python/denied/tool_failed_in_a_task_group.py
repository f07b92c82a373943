# expect: error call.tool_failed at line 6, column 5: `hostile__fail` failed, its server says: in a group
# python: 3.11
import asyncio

async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(servers.hostile.fail(message="in a group"))

asyncio.run(main())
