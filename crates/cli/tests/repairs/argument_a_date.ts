await servers.crm.updateLead({ id: 'L-0001', fields: { last_contact: new Date('2026-01-02') } });
return 'done';
