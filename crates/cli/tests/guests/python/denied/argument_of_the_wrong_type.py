# expect: error call.bad_argument at line 2, column 1: ToolError: `hostile__add`: `a` must be a number, got string `"one"`\n  line 2: servers.hostile.add(a="one", b=2)
servers.hostile.add(a="one", b=2)
