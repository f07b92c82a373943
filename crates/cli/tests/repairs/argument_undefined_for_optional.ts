const page = await servers.tracker.listIssues({ assignee: undefined, limit: 1 });
return page.issues.length;
