// expect: error file.refused at line 3, column 7: there is no skill `mcpProgressiveDiscover`
// hint: did you mean `mcp-progressive-discovery`?
await loadSkill('mcpProgressiveDiscover');
