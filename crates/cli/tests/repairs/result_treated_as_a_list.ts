// later: type check
const issues = await servers.tracker.listIssues({ limit: 2 });
return issues.map((issue) => issue.title);
