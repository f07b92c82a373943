// expect: error program.syntax at line 5, column 1: Expected `from` but found `Identifier`
// hint: the line reads `leads = [l for l in crm.list_leads()]`
import json

leads = [l for l in crm.list_leads()]
print(json.dumps(leads))
