# expect: error call.bad_argument at line 3, column 1: ToolError: `crm__get_lead`: `id` must be a string, got null\n  line 3: servers.crm.get_lead(id=None)
# hint: leave it out instead of passing null
servers.crm.get_lead(id=None)
