# expect: error program.threw at line 3, column 1: the program threw: ToolError: `add` got `a` twice\n  | line 3: servers.hostile.add(1, a=2)
# hint: the run suggests: pass it once
servers.hostile.add(1, a=2)
