# expect: error worker.died: the worker died
# hint: the program may have used too much memory, or crashed the engine; change it and try again
# logs: "[error] Traceback (most recent call last):\n  File \"<string>\", line 30, in <module>\n  File \"<string>\", line 27, in start\n  File \"<tidegate worker>\", line 259, in serve\n  File \"<tidegate channel>\", line 41, in optional\n  File \"<tidegate channel>\", line 36, in text\nAttributeError: 'bytes' object has no attribute 'encode'. Did you mean: 'decode'?"
import json
json.dumps = lambda *arguments, **named: b"bytes"
1
