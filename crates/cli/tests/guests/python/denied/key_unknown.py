# expect: error program.threw at line 4, column 1: the program threw: KeyError: 'citty'\n  | line 4: answer["citty"]
# hint: the run suggests: did you mean `city`?
answer = servers.hostile.structured()
answer["citty"]
