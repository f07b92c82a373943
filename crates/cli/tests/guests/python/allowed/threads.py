# expect: output [true,["a","b"],["c","d"]]
# calls: 44
import asyncio
from concurrent.futures import ThreadPoolExecutor, as_completed
from servers import hostile

with ThreadPoolExecutor(16) as pool:
    mapped = list(pool.map(lambda number: hostile.echo(text=str(number)), range(40)))
    futures = [pool.submit(hostile.echo, text=text) for text in "ab"]
    submitted = sorted(future.result() for future in as_completed(futures))
moved = await asyncio.gather(*(asyncio.to_thread(hostile.echo, text=text) for text in "cd"))
[mapped == [str(number) for number in range(40)], submitted, moved]
