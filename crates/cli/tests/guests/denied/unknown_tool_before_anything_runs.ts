// expect: error call.unknown_tool at line 6, column 19: server `crm` has no tool `getLeed`
// hint: did you mean `getLead`?
// calls: 0
await servers.crm.createNote({ lead_id: 'L-0001', text: 'not made' });
console.log('not printed');
await servers.crm.getLeed({ id: 'L-0001' });
