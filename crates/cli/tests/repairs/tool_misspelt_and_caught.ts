let issues;
try {
  issues = await servers.tracker.listAll({});
} catch (error) {
  issues = (await servers.tracker.listIssues({ limit: 3 })).issues;
}
return issues.length;
