# expect: error call.bad_argument at line 3, column 1: `Count Words` cannot be the name of a skill
# hint: use `count-words`: names have up to 64 lower-case letters, digits and hyphens
save_skill("Count Words", "len(x)")
