# expect: error program.threw at line 2, column 1: the program threw: FileNotFoundError: [Errno 2] No such file or directory: '/tmp/workspace/../../etc/passwd'\n  | line 2: read_file("../../etc/passwd")
read_file("../../etc/passwd")
