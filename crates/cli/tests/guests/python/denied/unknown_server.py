# expect: error call.unknown_server at line 4, column 1: there is no server `trackr`
# hint: did you mean `tracker`?
name = "trackr"
servers[name].list_issues()
