// expect: output {"names":["crm","drive","hostile","tracker"],"entries":["crm: object","drive: object","hostile: object","tracker: object"],"has":[true,false,false],"functions":["listLeads","getLead","updateLead","createNote","searchLeads"],"lead":"L-0005","issue":1,"echo":"destructured"}
const { crm, hostile: { echo } } = servers;
const name = 'tracker';

return {
  names: Object.keys(servers),
  entries: Object.entries(servers).map(([server, api]) => `${server}: ${typeof api}`),
  has: ['crm' in servers, 'nope' in servers, Object.hasOwn(servers, 'nope')],
  functions: Object.keys(crm),
  lead: (await crm.getLead({ id: 'L-0005' })).id,
  issue: (await servers[name].getIssue({ id: 1 })).id,
  echo: await echo({ text: 'destructured' }),
};
