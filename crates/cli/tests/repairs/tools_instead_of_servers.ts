const page = await tools.tracker.listIssues({ limit: 1 });
return page.issues;
