# expect: error call.unknown_server at line 4, column 1: ToolError: there is no server `trackr`\n  line 4: servers[name].list_issues()
# hint: did you mean `tracker`?
name = "trackr"
servers[name].list_issues()
