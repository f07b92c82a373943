# expect: error call.bad_argument at line 3, column 1: ToolError: `crm__get_lead` needs `id` (string)\n  line 3: servers.crm.get_lead(ID="L-0042")
# hint: write `id` instead of `ID`
servers.crm.get_lead(ID="L-0042")
