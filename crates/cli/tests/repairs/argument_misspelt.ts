const note = await servers.crm.createNote({ leadId: 'L-0001', text: 'called' });
return note;
