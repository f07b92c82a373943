# expect: error program.threw at line 5, column 9: the program threw: RuntimeError: no open\n  | line 7, in <module>: open("workspace/x", "w")\n  | line 5, in hook: raise RuntimeError(f"no {event}")
import sys
def hook(event, arguments):
    if event in ("open", "compile", "exec", "import", "os.listdir"):
        raise RuntimeError(f"no {event}")
sys.addaudithook(hook)
open("workspace/x", "w")
