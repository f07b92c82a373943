# expect: error program.threw at line 3, column 1: the program threw: FileNotFoundError: [Errno 2] No such file or directory: 'servers/nope/__init__.py'\n  | line 3: open("servers/nope/__init__.py")
# hint: the run suggests: programs see `./workspace`, `./servers` and `./skills`, and no other files or programs of the machine
open("servers/nope/__init__.py")
