# expect: error call.unknown_tool at line 5, column 1: server `crm` has no tool `get_leed`
# hint: did you mean `get_lead`?
from servers import crm
name = "get_leed"
getattr(crm, name)(id="x")
