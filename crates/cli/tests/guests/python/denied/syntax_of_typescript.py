# expect: error program.syntax at line 3, column 7: SyntaxError: invalid syntax\n  line 3: const x = await servers.crm.listLeads({});
# hint: this looks like TypeScript: pass `language: "typescript"`
const x = await servers.crm.listLeads({});
return x;
