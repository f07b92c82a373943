/* 🌊🌊 */ const lead = await servers.crm.getLead({ id: 42 });
return lead.name;
