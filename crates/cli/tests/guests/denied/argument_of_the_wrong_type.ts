// expect: error call.bad_argument at line 5, column 20: `crm__list_leads`: `limit` must be an integer, got string `"5"`
// hint: write 5 without quotes
import { listLeads } from './servers/crm';

const page = await listLeads({
  limit: '5',
});
