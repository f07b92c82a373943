const issue = await servers.tracker.getIssue({ id: '42' });
return issue.title;
