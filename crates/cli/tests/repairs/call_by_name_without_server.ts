const page = await callMCPTool('list_issues', { limit: 1 });
return page.issues.length;
