# expect: output ["Record","hi"]
import asyncio

async def main():
    leads = await servers.crm.list_leads()
    return [type(leads).__name__, await servers.hostile.echo(text="hi")]

result = asyncio.run(main())
