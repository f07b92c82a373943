# expect: error call.unknown_server at line 3, column 1: ImportError: there is no server `trackr`\n  line 3: exec("from servers import trackr")
# hint: did you mean `tracker`?
exec("from servers import trackr")
