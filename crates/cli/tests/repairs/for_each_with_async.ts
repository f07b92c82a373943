const notes: string[] = [];
['L-0001'].forEach(async (id) => {
  const lead = await servers.crm.getLead({ id });
  notes.push(lead.id);
});
return notes;
