# expect: output "done"
# calls: 1
import asyncio

async def main():
    asyncio.create_task(servers.hostile.echo(text="x"))
    return "done"

asyncio.run(main())
