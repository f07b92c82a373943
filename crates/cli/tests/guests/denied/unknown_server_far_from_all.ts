// expect: error call.unknown_server at line 3, column 25: there is no server `github`
// hint: the servers are `crm`, `drive`, `hostile`, `tracker`
import * as github from './servers/github';

return github.listIssues();
