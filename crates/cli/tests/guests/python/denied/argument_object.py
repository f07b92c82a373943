# expect: error program.threw at line 5, column 1: the program threw: ToolError: `echo`: `arguments['text'][1]` is a Thing, which JSON cannot hold\n  | line 5: servers.hostile.echo(text=[1, Thing()])
# hint: the run suggests: return plain data: dicts, lists, text, numbers, booleans, None
class Thing:
    pass
servers.hostile.echo(text=[1, Thing()])
