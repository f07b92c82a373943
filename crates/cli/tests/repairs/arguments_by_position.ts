const lead = await servers.crm.getLead('L-0001');
return lead.name;
