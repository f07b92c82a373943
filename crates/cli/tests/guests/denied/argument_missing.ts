// expect: error call.bad_argument at line 3, column 19: `crm__get_lead` needs `id` (string)
// hint: its description: Id of the lead, such as `L-0042`.
await servers.crm.getLead();
