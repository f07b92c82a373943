const page = servers.crm.listLeads({ limit: 2 });
return page.leads.length;
