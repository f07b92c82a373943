const page = await servers.tracker.listIssues({ state: 'pending' });
return page.issues.length;
