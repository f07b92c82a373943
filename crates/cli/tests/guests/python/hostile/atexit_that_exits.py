# expect: error worker.died: the worker died
# hint: the program may have used too much memory, or crashed the engine; change it and try again
import atexit, os
atexit.register(os._exit, 0)
"output"
