# expect: error program.syntax at line 3, column 7: the program does not parse: SyntaxError: invalid syntax\n  | line 3: const x = await servers.crm.listLeads({});
# hint: the run suggests: this looks like TypeScript: pass `language: "typescript"`
const x = await servers.crm.listLeads({});
return x;
