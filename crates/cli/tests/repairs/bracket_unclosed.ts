const page = await servers.crm.listLeads({ limit: 2 });
const ids = page.leads.map((lead) => lead.id;
return ids;
