// expect: error call.unknown_tool at line 3, column 7: server `crm` has no tool `destroy_everything`
// hint: it has `listLeads`, `getLead`, `updateLead`, `createNote`, `searchLeads`
await callMCPTool('crm__destroy_everything', {});
