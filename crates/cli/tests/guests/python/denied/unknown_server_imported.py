# expect: error call.unknown_server at line 3, column 1: there is no server `trackr`
# hint: did you mean `tracker`?
exec("from servers import trackr")
