# expect: error call.unknown_tool at line 4, column 1: ToolError: server `crm` has no tool `get_leed`\n  line 4: call_tool("crm__" + name, {"id": "x"})
# hint: did you mean `get_lead`?
name = "get_leed"
call_tool("crm__" + name, {"id": "x"})
