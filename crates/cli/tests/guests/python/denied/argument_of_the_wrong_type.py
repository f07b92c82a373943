# expect: error call.bad_argument at line 2, column 1: `hostile__add`: `a` must be a number, got string `"one"`
servers.hostile.add(a="one", b=2)
