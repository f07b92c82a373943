import asyncio, os
async def main(a, *b, c=1, **d):
    async with x as y:
        return await asyncio.gather(*[call_tool("crm__get", {"id": i}) async for i in y])
result = asyncio.run(main())
