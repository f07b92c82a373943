const changed = [{ id: 'L-0001' }];
for (const { id } of changed) await servers.crm.createNote({ lead_id: id });
return 'done';
