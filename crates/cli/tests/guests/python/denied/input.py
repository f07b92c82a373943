# expect: error program.threw at line 4, column 1: EOFError: EOF when reading a line\n  line 4: input("name? ")
# hint: nobody can type anything: write the value into the program
# logs: "name?"
input("name? ")
