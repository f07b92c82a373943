# expect: output {"calls":[{"city":"Oslo","degrees":-3.5,"days":["mon","tue"],"station":null},{"city":"Oslo","degrees":-3.5,"days":["mon","tue"],"station":null}],"city":"Oslo","text":"Oslo","length":4,"same":true}
import asyncio
from servers import hostile

calls = [hostile.structured() for _ in range(2)]
answers = await asyncio.gather(*calls)
{"calls": calls, "city": calls[0].city, "text": f"{calls[1]['city']}", "length": len(calls[0]), "same": answers == calls}
