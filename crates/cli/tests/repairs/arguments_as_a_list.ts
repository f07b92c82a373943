const issue = await servers.tracker.getIssue([42]);
return issue.title;
