# expect: error program.threw at line 5, column 1: the program threw: ToolError: `echo`: `arguments['text']['text']` contains itself\n  | line 5: servers.hostile.echo(text)
# hint: the run suggests: return plain data without cycles
text = {}
text["text"] = text
servers.hostile.echo(text)
