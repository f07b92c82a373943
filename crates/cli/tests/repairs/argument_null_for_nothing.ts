const page = await servers.tracker.listIssues({ state: 'open', assignee: null, limit: 1 });
return page.issues.length;
