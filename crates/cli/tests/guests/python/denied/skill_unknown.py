# expect: error file.refused at line 3, column 1: ToolError: `./skills/nope` does not exist\n  line 3: load_skill("nope")
# hint: programs see `./servers/<server>/__init__.py`
load_skill("nope")
