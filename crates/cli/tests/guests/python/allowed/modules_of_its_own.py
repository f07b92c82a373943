# expect: output 8
import sys
write_file("helper.py", "def twice(x):\n    return x * 2\n")
sys.path.insert(0, "workspace")
import helper
helper.twice(4)
