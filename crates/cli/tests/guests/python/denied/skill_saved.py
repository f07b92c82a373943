# expect: error file.refused at line 3, column 1: ToolError: skills cannot be saved yet\n  line 3: save_skill("count", "len(x)")
# hint: return the code instead
save_skill("count", "len(x)")
