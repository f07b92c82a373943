# expect: error limit.tool_calls: ToolError: the program made more than its limit of 500 tool calls\n  line 4: servers.hostile.echo(text="x")
# hint: call tools that take lists, or let the user raise `limits.tool_calls`
while True:
    servers.hostile.echo(text="x")
