# expect: output true
# calls: 10
import asyncio, time
from servers import hostile

started = time.monotonic()
await asyncio.gather(*(hostile.slow(ms=400) for _ in range(10)))
time.monotonic() - started < 3.5
