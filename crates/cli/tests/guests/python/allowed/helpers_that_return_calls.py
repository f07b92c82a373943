# expect: output ["slow","X",true,"SLOW",true]
# calls: 13
import asyncio, time
from servers import hostile

def fetch(ms):
    return hostile.slow(ms=ms)

class Client:
    def fetch_again(self, ms):
        return fetch(ms)

def value(text):
    return hostile.echo(text=text).upper()

started = time.monotonic()
answers = await asyncio.gather(*[fetch(400) for _ in range(5)], *[Client().fetch_again(400) for _ in range(5)], value("x"))
[answers[0], answers[-1], time.monotonic() - started < 3.5, fetch(1).upper(), isinstance(fetch(1), str)]
