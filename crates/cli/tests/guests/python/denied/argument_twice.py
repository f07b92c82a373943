# expect: error call.bad_argument at line 3, column 1: ToolError: `add` got `a` twice\n  line 3: servers.hostile.add(1, a=2)
# hint: pass it once
servers.hostile.add(1, a=2)
