# expect: error worker.died: the worker broke the protocol
# hint: the program may have used too much memory, or crashed the engine; change it and try again
import gc, os
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
os.write(channel.descriptor, b"\xff\xff\xff\x7f\x05")
"output"
