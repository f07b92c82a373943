// expect: error call.bad_argument at line 3, column 19: `crm__update_lead`: `fields.name` must be a string, got number `5`
// hint: write "5"
await servers.crm.updateLead({ id: 'L-0001', fields: { name: 5 } });
