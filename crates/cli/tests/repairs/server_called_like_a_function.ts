const leads = await servers.crm('list_leads', { limit: 1 });
return leads;
