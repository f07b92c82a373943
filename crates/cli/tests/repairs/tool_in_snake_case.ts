const page = await servers.tracker.list_issues({ limit: 2 });
return page.issues.length;
