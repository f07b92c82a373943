# expect: output {"text":"`hostile__fail` failed, its server says: out of stock","message":"`hostile__fail` failed, its server says: out of stock","code":"call.tool_failed","server":"hostile","tool":"fail","hint":null,"is":true}
from servers import ToolError

try:
    servers.hostile.fail(message="out of stock")
except ToolError as error:
    result = {"text": str(error), "message": error.message, "code": error.code, "server": error.server,
              "tool": error.tool, "hint": error.hint, "is": isinstance(error, Exception)}
