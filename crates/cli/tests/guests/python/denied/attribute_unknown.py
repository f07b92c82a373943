# expect: error program.threw at line 4, column 1: the program threw: AttributeError: the dict has no key 'citty'\n  | line 4: answer.citty
# hint: the run suggests: did you mean `city`?
answer = servers.hostile.structured()
answer.citty
