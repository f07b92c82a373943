# expect: error program.threw at line 3, column 1: the program threw: ToolError: `add`: `arguments['a']` is `nan`, which JSON cannot hold\n  | line 3: servers.hostile.add(a=float("nan"), b=1)
# hint: the run suggests: replace it, e.g. by `None`, before it is returned
servers.hostile.add(a=float("nan"), b=1)
