# expect: error program.threw at line 4, column 5: RuntimeError: in every frame\n  line 8, in <module>: f()\n  line 6, in f: def f():\n  line 4, in trace: raise RuntimeError("in every frame")
import sys
def trace(frame, event, argument):
    raise RuntimeError("in every frame")
sys.settrace(trace)
def f():
    return 1
f()
