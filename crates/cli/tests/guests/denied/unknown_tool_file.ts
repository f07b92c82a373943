// expect: error call.unknown_tool at line 3, column 10: `./servers/crm/nope` has no `nope`
// hint: it has `listLeads`, `getLead`, `updateLead`, `createNote`, `searchLeads`
import { nope } from './servers/crm/nope';

return nope();
