// The type checker sees it, and warns.
const issues = await servers.tracker.listIssues({ limit: 2 });
return issues.map((issue) => issue.title);
