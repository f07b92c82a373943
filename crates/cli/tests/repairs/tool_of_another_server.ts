const page = await servers.drive.listLeads({ limit: 1 });
return page.leads.length;
