// expect: error call.unknown_tool at line 3, column 19: server `crm` has no tool `listLead`
// hint: did you mean `listLeads`?
import { getLead, listLead } from './servers/crm';

return [await getLead({ id: 'L-0001' }), await listLead({})];
