import { writeFile } from 'fs/promises';

const page = await servers.crm.listLeads({ limit: 2 });
await writeFile('./leads.json', JSON.stringify(page.leads));
return 'saved';
