import { ListLeads } from './servers/crm';

const page = await ListLeads({ limit: 1 });
return page.leads.length;
