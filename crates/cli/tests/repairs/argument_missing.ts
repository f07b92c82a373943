const issue = await servers.tracker.getIssue({});
return issue.title;
