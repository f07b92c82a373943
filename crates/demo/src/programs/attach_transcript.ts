const { drive, crm } = servers;
const { text } = await drive.readFile({ path: 'meetings/2026-03-12-quarterly-review.txt' });
const { leads: [lead] } = await crm.searchLeads({ query: 'Halvorsen Freight' });
await crm.createNote({ lead_id: lead.id, text });
const actions = text.match(/ACTION: .+/g) ?? [];
return { lead: lead.id, action_items: actions.length };
