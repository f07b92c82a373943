# expect: error program.threw at line 4, column 1: the program threw: FileNotFoundError: [Errno 2] No such file or directory: 'workspace/dta.csv'\n  | line 4: open("workspace/dta.csv")
# hint: the run suggests: did you mean `data.csv`?
write_file("data.csv", "a,b")
open("workspace/dta.csv")
