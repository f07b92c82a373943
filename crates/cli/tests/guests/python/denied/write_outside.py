# expect: error program.threw at line 3, column 1: the program threw: OSError: [Errno 30] Read-only file system: '/usr/x'\n  | line 3: open("/usr/x", "w")
# hint: the run suggests: programs see `./workspace`, `./servers` and `./skills`, and no other files or programs of the machine
open("/usr/x", "w")
