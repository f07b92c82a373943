const page = await servers.trakcer.listIssues({ limit: 1 });
return page.issues;
