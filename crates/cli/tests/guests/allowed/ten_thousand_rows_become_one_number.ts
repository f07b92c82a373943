// expect: output {"issues":10000,"some_open":true}
import { listIssues } from './servers/tracker';

let issues = 0;
let open = 0;
let cursor: string | undefined;
do {
  const page = await listIssues({ limit: 500, cursor });
  issues += page.issues.length;
  open += page.issues.filter((issue: { state: string }) => issue.state === 'open').length;
  cursor = page.next_cursor;
} while (cursor);
return { issues, some_open: open > 0 };
