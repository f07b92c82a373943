const page = await servers.tracker.listIssues({ state: 'OPEN', limit: '5', assigne: 'ada' });
return page.issues.length;
