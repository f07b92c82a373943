# expect: error worker.died: the worker died
# hint: the program may have used too much memory, or crashed the engine; change it and try again
# logs: any
import sys
sys.modules["_tidegate.worker"].encode = lambda *arguments, **named: b"bytes"
1
