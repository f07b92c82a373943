const page = await servers.tracker.listIssues({ limit: 1000 });
return page.issues.length;
