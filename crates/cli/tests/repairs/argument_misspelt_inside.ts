await servers.crm.updateLead({ id: 'L-0001', fields: { stauts: 'won' } });
return 'done';
