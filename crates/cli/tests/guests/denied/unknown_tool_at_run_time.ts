// expect: error call.unknown_tool at line 5, column 41: server `crm` has no tool `getLeed`
// hint: did you mean `getLead`?
// calls: 1
const name = ['get', 'Leed'].join('');
const lead = await (servers.crm as any)[name]({ id: 'L-0001' });
