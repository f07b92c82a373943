// expect: error program.syntax at line 6, column 1: the program does not parse: Expected `from` but found `Identifier`
// language: typescript
// hint: the run suggests: the line reads `leads = [l for l in crm.list_leads()]`
import json

leads = [l for l in crm.list_leads()]
print(json.dumps(leads))
