# expect: error call.bad_argument at line 3, column 1: `crm__get_lead` needs `id` (string)
# hint: write `id` instead of `ID`
servers.crm.get_lead(ID="L-0042")
