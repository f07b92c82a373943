# expect: error call.unknown_tool at line 4, column 1: server `drive` has no tool `get_lead`
# hint: `crm` has it: write `servers.crm.get_lead`
name = "get_lead"
call_tool("drive__" + name, {"id": "x"})
