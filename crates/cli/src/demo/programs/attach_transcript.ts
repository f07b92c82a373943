import * as drive from './servers/drive';
import * as crm from './servers/crm';

const { text } = await drive.readFile({ path: 'meetings/2026-03-12-quarterly-review.txt' });
const { leads } = await crm.searchLeads({ query: 'Halvorsen Freight' });
await crm.createNote({ lead_id: leads[0].id, text });
const actions = text.match(/ACTION: .+ \(due \d{4}-\d\d-\d\d\)/g) ?? [];
return { lead: leads[0].id, action_items: actions.length };
