# expect: error program.threw at line 4, column 1: the program threw: EOFError: EOF when reading a line\n  | line 4: input("name? ")
# hint: the run suggests: nobody can type anything: write the value into the program
# logs: "name?"
input("name? ")
