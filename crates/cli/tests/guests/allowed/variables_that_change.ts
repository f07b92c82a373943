// expect: output ["L-0001","L-0001","L-0002","won","L-0001",1]
// calls: 6
// What a variable was first says nothing about what it holds at the call.
const base = {};
base.id = 'L-0001';
const first = await servers.crm.getLead({ ...base });
const second = await servers.crm.getLead(base);
// Overwritten by what is spread behind it.
const third = await servers.crm.getLead({ id: 0, ...{ id: 'L-0002' } as {} });

let status = 'open';
status = 'won';
const won = await servers.crm.listLeads({ status, limit: 1 });

let id = 0;
id = 'L-0001';
const fourth = await servers.crm.getLead({ id });

const filter = { limit: '1' };
filter.limit = 1;
const fifth = await servers.crm.listLeads({ limit: filter.limit });
return [first.id, second.id, third.id, won.leads[0].status, fourth.id, fifth.leads.length];
