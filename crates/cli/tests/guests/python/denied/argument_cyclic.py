# expect: error call.bad_argument at line 5, column 1: ToolError: `echo`: `arguments['text']['text']` contains itself\n  line 5: servers.hostile.echo(text)
# hint: return plain data without cycles
text = {}
text["text"] = text
servers.hostile.echo(text)
