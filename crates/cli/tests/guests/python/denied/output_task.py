# expect: error program.bad_output: the output cannot be written as JSON: the output is a Task, which JSON cannot hold
# hint: the run suggests: return plain data: dicts, lists, text, numbers, booleans, None
import asyncio

async def main():
    return asyncio.ensure_future(asyncio.sleep(0))

asyncio.run(main())
