const page = await callMCPTool('tracker', { limit: 1 });
return page.issues;
