const page = await servers.crm.listLeads({ limit: 2 });
return <ul>{page.leads.map((lead) => <li>{lead.name}</li>)}</ul>;
