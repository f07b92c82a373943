# expect: error program.threw at line 4, column 1: the program threw: FileNotFoundError: [Errno 2] No such file or directory: '/bin/sh'\n  | line 4: subprocess.check_output("ls", shell=True)
# hint: the run suggests: programs see `./workspace`, `./servers` and `./skills`, and no other files or programs of the machine
import subprocess
subprocess.check_output("ls", shell=True)
