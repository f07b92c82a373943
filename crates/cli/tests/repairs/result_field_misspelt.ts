// later: type check
const page = await servers.crm.listLeads({ limit: 2 });
return page.leeds.map((lead) => lead.id);
