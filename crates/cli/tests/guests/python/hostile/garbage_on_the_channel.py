# expect: error worker.died: the worker broke the protocol
# hint: the program may have used too much memory, or crashed the engine; change it and try again
def descriptor():
    import gc
    return next(each for each in gc.get_objects() if type(each).__name__ == "Channel").descriptor
import os
os.write(descriptor(), b"\xff" * 100)
"output"
