// expect: error call.bad_argument at line 3, column 19: `crm__get_lead` needs `id` (string)
// hint: write `id` instead of `ID`
await servers.crm.getLead({ ID: 'L-0001' });
