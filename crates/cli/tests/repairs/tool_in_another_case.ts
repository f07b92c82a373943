const page = await servers.tracker.ListIssues({ limit: 1 });
return page.issues.length;
