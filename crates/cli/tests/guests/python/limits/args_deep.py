# expect: error call.bad_argument at line 5, column 1: ToolError: `echo`: `arguments['text'][0][0][0][0][0][0][0][0][0][0][0][0][0][0]…0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]` is nested more than 128 deep\n  line 5: servers.hostile.echo(text=x)
# hint: return flatter data
x = []
for _ in range(100000): x = [x]
servers.hostile.echo(text=x)
