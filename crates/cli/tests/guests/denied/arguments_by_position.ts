// expect: error call.bad_argument at line 3, column 19: `crm__get_lead` takes one object with named arguments, got a string
// hint: write `getLead({ id: "L-0001" })`
await servers.crm.getLead('L-0001');
