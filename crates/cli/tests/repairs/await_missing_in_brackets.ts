const leads = await servers.crm.listLeads({ limit: 2 }).leads;
return leads.length;
