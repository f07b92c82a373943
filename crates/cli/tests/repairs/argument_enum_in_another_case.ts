const page = await servers.tracker.listIssues({ state: 'OPEN', limit: 1 });
return page.issues.length;
