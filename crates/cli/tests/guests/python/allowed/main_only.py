# expect: output "hi"
"""Says hi."""
from servers import hostile

TEXT = "hi"

async def main():
    return await hostile.echo(text=TEXT)
