# expect: output ["call.unknown_server",true]
try:
    call_tool("\x1b[2J__\u202e\n\0", {})
except ToolError as error:
    result = [error.code, "\x1b" in str(error)]
