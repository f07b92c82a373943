// expect: output "[COMPANY_1]"
import * as crm from './servers/crm';

const lead = await crm.getLead({ id: 'L-0001' });
return lead.company;
