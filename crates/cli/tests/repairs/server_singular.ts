const page = await server.tracker.listIssues({ limit: 1 });
return page.issues;
