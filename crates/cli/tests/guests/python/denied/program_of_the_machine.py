# expect: error program.threw at line 4, column 1: the program threw: FileNotFoundError: [Errno 2] No such file or directory: 'ls'\n  | line 4: subprocess.run(["ls"], capture_output=True)
# hint: the run suggests: programs see `./workspace`, `./servers` and `./skills`, and no other files or programs of the machine
import subprocess
subprocess.run(["ls"], capture_output=True)
