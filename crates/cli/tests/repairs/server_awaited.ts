const crm = await servers.crm;
const page = await crm.listLeads({ limit: 1 });
return page.leads.length;
