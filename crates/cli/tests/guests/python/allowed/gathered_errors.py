# expect: output ["`hostile__fail` failed, its server says: no","fail","yes"]
import asyncio
from servers import hostile

answers = await asyncio.gather(hostile.fail(message="no"), hostile.echo(text="yes"), return_exceptions=True)
[str(answers[0]), answers[0].tool, answers[1]]
