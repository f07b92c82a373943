const leads = await servers.crm.listLeeds({});
const file = await servers.drive.readFiles({ path: 'a' });
const issues = await servers.trackr.listIssues({});
return [leads, file, issues];
