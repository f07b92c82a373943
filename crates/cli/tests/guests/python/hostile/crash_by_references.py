# expect: error worker.died: the worker died
# hint: the program may have used too much memory, or crashed the engine; change it and try again
import ctypes, sys
ctypes.pythonapi.Py_DecRef.argtypes = [ctypes.py_object]
for _ in range(1000000):
    ctypes.pythonapi.Py_DecRef(None)
x = [None] * 1000
del x
import gc
gc.collect()
ctypes.string_at(1)
