const found = await servers.tracker.searchIssues({ query: '' });
return found.issues.length;
