# expect: output "traced"
import sys, threading
def trace(frame, event, argument):
    frame.f_trace_lines = False
    return trace
sys.settrace(trace)
sys.setprofile(lambda *arguments: None)
threading.settrace(trace)
"traced"
