import { listLead, getLead } from './servers/crm';

const page = await listLead({ limit: 1 });
return getLead({ id: page.leads[0].id });
