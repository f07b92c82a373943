import { listIssues } from './servers/tracker';

const titles = [];
for (const issue of listIssues({ limit: 2 })) {
  titles.push(issue.title);
}
return titles;
