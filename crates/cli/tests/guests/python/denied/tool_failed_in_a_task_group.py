# expect: error call.tool_failed at line 6, column 5: ToolError: `hostile__fail` failed: in a group\n  line 9, in <module>: asyncio.run(main())\n  line 6, in main: async with asyncio.TaskGroup() as group:
# python: 3.11
import asyncio

async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(servers.hostile.fail(message="in a group"))

asyncio.run(main())
