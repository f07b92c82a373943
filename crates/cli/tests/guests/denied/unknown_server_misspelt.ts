// expect: error call.unknown_server at line 3, column 28: there is no server `trackr`
// hint: did you mean `tracker`?
import { listIssues } from './servers/trackr';

return listIssues({});
