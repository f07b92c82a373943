# expect: error limit.tool_calls: the program hit its limit `tool_calls` of 500 calls: it made {n} calls
# hint: call tools that take lists, or let the user raise `limits.tool_calls`
while True:
    servers.hostile.echo(text="x")
