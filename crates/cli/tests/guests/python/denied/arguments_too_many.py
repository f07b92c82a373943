# expect: error program.threw at line 3, column 1: the program threw: ToolError: `get_lead` takes 1 argument, got 3 by position\n  | line 3: servers.crm.get_lead("a", "b", "c")
# hint: the run suggests: write `get_lead(id=…)`
servers.crm.get_lead("a", "b", "c")
