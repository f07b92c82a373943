# expect: error call.unknown_tool at line 3, column 1: server `crm` has no tool `get_leed`
# hint: did you mean `get_lead`?
exec("from servers.crm import get_leed")
