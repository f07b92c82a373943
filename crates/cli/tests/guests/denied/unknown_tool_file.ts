// expect: error call.unknown_tool at line 3, column 10: server `crm` has no tool `nope`
// hint: it has `listLeads`, `getLead`, `updateLead`, `createNote`, `searchLeads`
import { nope } from './servers/crm/nope';

return nope();
