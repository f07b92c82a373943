# expect: output "hi"
import asyncio

async def main():
    print(await servers.hostile.echo(text="hi"))

if __name__ == "__main__":
    asyncio.run(main())
