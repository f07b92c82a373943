# expect: error worker.died: the worker died
# hint: the program may have used too much memory, or crashed the engine; change it and try again
def f():
    return 1
f.__code__ = f.__code__.replace(co_code=bytes([0x7D, 0xFF] * 50), co_stacksize=0)
f()
