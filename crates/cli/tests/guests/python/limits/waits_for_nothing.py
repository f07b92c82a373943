# expect: error limit.time at line 6, column 1: the program ran longer than its limit of 500 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 500 ms
# within: 1500 ms
import asyncio
await asyncio.get_running_loop().create_future()
