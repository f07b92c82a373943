const leads: any[] = [];
const lead = await servers.crm.getLead({ id: leads[0]?.id });
return lead.name;
