const page = await listIssues({ limit: 1 });
return page.issues;
