const page = await tracker.listIssues({ limit: 1 });
return page.issues;
