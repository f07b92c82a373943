const page = await servers.tracker.listIssues({ state: 'open', sort: 'newest' });
return page.issues.length;
