// The type checker sees it, and warns.
const page = await servers.crm.listLeads({ limit: 2 });
return page.leads.map((lead) => lead.companyName.toUpperCase());
