const issue = await servers.tracker.createIssue({ title: 'Broken link' });
return issue.id;
