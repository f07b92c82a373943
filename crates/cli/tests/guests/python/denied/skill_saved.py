# expect: error call.bad_argument at line 3, column 1: ToolError: `Count Words` cannot be the name of a skill\n  line 3: save_skill("Count Words", "len(x)")
# hint: use `count-words`: names have up to 64 lower-case letters, digits and hyphens
save_skill("Count Words", "len(x)")
