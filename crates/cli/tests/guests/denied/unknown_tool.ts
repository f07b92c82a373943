// expect: error call.unknown_tool at line 5, column 24: server `crm` has no tool `getLeed`
// hint: did you mean `getLead`?
const { crm } = servers;

const lead = await crm.getLeed({ id: 'L-0001' });
