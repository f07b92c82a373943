const lead = servers.crm.getLead({ id: 'L-0001' });
return JSON.stringify(lead, null, 2);
