const ids = ['L-0001', 'L-0002'];
const leads = await Promise.all(ids.map(async (id) => servers.crm.getLead({ id })));
return leads.map((lead) => lead.id);
