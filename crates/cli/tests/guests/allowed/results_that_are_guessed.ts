// expect: output [2,"L-0001",null]
// calls: 2
// Asking for what is not there is how one finds out what is.
const r = await servers.crm.listLeads({ limit: 2 });
const leads = r.leads || r.lead || [];
const one = await servers.crm.getLead({ id: (r.leads ?? r.items)[0].id });
return [leads.length, one.id, one.nam ?? null];
