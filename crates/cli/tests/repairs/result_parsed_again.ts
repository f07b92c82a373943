const text = await servers.tracker.listIssues({ limit: 2 });
const { issues } = JSON.parse(text);
return issues.length;
