const page = await servers.CRM.listLeads({ limit: 1 });
return page.leads.length;
