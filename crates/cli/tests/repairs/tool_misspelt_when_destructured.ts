const { listIssues, getIsue } = servers.tracker;
const page = await listIssues({ limit: 1 });
return getIsue({ id: page.issues[0].id });
