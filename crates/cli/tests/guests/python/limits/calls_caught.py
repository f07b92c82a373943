# expect: output {"answered":500,"limit.tool_calls":200}
codes = []
for n in range(700):
    try:
        servers.hostile.echo(text="x")
        codes.append("answered")
    except ToolError as error:
        codes.append(error.code)
{code: codes.count(code) for code in sorted(set(codes))}
