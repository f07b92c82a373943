await servers.crm.updateLead({ id: 'L-0001', fields: ['status', 'won'] });
return 'done';
