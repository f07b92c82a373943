# expect: error program.threw at line 3, column 1: the program threw: SystemExit: 1\n  | line 3: sys.exit(1)
import sys
sys.exit(1)
