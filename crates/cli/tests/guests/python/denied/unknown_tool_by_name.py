# expect: error call.unknown_tool at line 4, column 1: server `crm` has no tool `get_leed`
# hint: did you mean `get_lead`?
name = "get_leed"
call_tool("crm__" + name, {"id": "x"})
