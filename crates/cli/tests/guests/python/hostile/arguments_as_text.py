# expect: output "call.bad_argument"
try:
    call_tool("hostile__echo", {"text": "x", "__proto__": {"a": 1}, "constructor": 1})
except ToolError as error:
    result = error.code
