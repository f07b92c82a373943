# expect: error call.bad_argument at line 3, column 1: `crm__get_lead`: `id` must be a string, got null
# hint: leave it out instead of passing null
servers.crm.get_lead(id=None)
