# expect: error program.threw at line 4, column 7: the program threw: NameError: name 'totl' is not defined\n  | line 4: print(totl)
# hint: the run suggests: did you mean `total`?
total = 1
print(totl)
