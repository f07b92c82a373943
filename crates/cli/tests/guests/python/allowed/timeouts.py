# expect: output "went on"
import asyncio
from servers import hostile

try:
    await asyncio.wait_for(hostile.slow(ms=5000), timeout=0.1)
except asyncio.TimeoutError:
    result = await hostile.echo(text="went on")
