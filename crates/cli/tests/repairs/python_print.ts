const page = await servers.crm.listLeads({ limit: 2 });
print(page.leads.length);
