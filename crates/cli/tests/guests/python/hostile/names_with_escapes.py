# expect: output ["call.unknown_server",true]
try:
    call_tool("\x1b[2J__\u202e\n\0", {})
except ToolError as error:
    result = [error.code, "\\u{1b}[2J" in str(error) and "\x1b" not in str(error)]
