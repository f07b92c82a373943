await servers.crm.createNote({ lead_id: 'L-0001', text: 'called' });
await servers.crm.setStatus({ id: 'L-0001', status: 'contacted' });
return 'done';
