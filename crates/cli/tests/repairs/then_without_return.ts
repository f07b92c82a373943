let ids: string[] = [];
servers.crm.listLeads({ limit: 2 }).then((page) => {
  ids = page.leads.map((lead) => lead.id);
});
return ids;
