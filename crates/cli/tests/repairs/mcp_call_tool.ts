const result = await mcp.callTool('tracker', 'list_issues', { limit: 1 });
return result;
