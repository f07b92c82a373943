const page = await servers.crm.listLeads({ limit: 2 });
return len(page.leads);
