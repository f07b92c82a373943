# expect: error program.threw at line 5, column 1: the program threw: ToolError: `echo`: `arguments['text'][0][0][0][0][0][0][0][0][0][0][0][0][0][0]…0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]` is nested more than 128 deep\n  | line 5: servers.hostile.echo(text=x)
# hint: the run suggests: return flatter data
x = []
for _ in range(100000): x = [x]
servers.hostile.echo(text=x)
