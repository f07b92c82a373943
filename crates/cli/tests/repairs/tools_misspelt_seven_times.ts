await servers.crm.getLeed({ id: 'L-0001' });
await servers.crm.fetchLead({ id: 'L-0001' });
await servers.crm.findLead({ id: 'L-0001' });
await servers.crm.readLead({ id: 'L-0001' });
await servers.crm.deleteLead({ id: 'L-0001' });
await servers.crm.removeLead({ id: 'L-0001' });
await servers.crm.dropLead({ id: 'L-0001' });
