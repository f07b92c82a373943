const { leads } = servers.crm.listLeads({ limit: 2 });
return leads.map((lead) => lead.id);
