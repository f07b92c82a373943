# expect: error worker.died: the worker died
# hint: the program may have used too much memory, or crashed the engine; change it and try again
import os
os.closerange(0, 1000)
"output"
