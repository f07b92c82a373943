// expect: error call.bad_argument at line 3, column 19: `crm__get_lead` has no `ID`
// hint: did you mean `id`?
await servers.crm.getLead({ ID: 'L-0001' });
