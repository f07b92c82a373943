# expect: error program.syntax at line 4, column 12: the program does not parse: SyntaxError: 'await' outside async function\n  | line 4: return await servers.hostile.echo(text="x")
# hint: the run suggests: make the function `async def`
def f():
    return await servers.hostile.echo(text="x")

f()
