# expect: output "thrown"
import sys
def trace(frame, event, argument):
    raise RuntimeError("in every frame")
def f():
    return 1
sys.settrace(trace)
try:
    f()
except RuntimeError:
    result = "thrown"
