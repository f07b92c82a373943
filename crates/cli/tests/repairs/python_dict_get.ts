const lead = await servers.crm.getLead({ id: 'L-0001' });
return lead.get('name');
