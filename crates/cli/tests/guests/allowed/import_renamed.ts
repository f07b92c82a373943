// expect: output {"same":true,"id":"L-0003"}
import { getLead as fetchLead, get_lead as sameLead } from './servers/crm';

const [one, two] = [await fetchLead({ id: 'L-0003' }), await sameLead({ id: 'L-0003' })];
return { same: JSON.stringify(one) === JSON.stringify(two), id: one.id };
