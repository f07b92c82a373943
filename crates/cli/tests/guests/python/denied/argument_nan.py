# expect: error call.bad_argument at line 3, column 1: ToolError: `add`: `arguments['a']` is `nan`, which JSON cannot hold\n  line 3: servers.hostile.add(a=float("nan"), b=1)
# hint: replace it, e.g. by `None`, before it is returned
servers.hostile.add(a=float("nan"), b=1)
