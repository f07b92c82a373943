const page = await callMCPTool('tracker__list-issues', { limit: 2 });
return page.issues.length;
