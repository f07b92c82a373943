# expect: output ["",["program.py"],"__main__","program.py"]
import sys
[sys.stdin.read(), sys.argv, __name__, __file__]
