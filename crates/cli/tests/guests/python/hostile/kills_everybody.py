# expect: error program.threw at line 3, column 1: the program threw: ProcessLookupError: [Errno 3] No such process\n  | line 3: os.kill(-1, signal.SIGKILL)
import os, signal
os.kill(-1, signal.SIGKILL)
"alone"
