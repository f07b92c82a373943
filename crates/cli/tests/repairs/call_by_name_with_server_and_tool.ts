const page = await callMCPTool('tracker', 'list_issues', { limit: 1 });
return page.issues.length;
