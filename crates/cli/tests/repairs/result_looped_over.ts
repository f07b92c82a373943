// The type checker sees it, and warns.
const issues = await servers.tracker.listIssues({ limit: 2 });
const titles = [];
for (const issue of issues) {
  titles.push(issue.title);
}
return titles;
