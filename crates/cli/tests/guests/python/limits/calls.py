# expect: error limit.tool_calls: ToolError: the program hit its limit `tool_calls` of 500 calls: it made {n} calls\n  line 4: servers.hostile.echo(text="x")
# hint: call tools that take lists, or let the user raise `limits.tool_calls`
while True:
    servers.hostile.echo(text="x")
