# expect: error program.threw at line 4, column 1: KeyError: 'citty'\n  line 4: answer["citty"]
# hint: did you mean `city`?
answer = servers.hostile.structured()
answer["citty"]
