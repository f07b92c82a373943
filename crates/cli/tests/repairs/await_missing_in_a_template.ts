const lead = servers.crm.getLead({ id: 'L-0001' });
console.log(`Lead: ${lead}`);
