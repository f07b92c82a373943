# expect: error worker.died: the worker broke the protocol
# hint: the program may have used too much memory, or crashed the engine; change it and try again
import gc, struct
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
channel.send(4, b"\1", struct.pack("<I", 4), b"\xff\xfe\xfd\xfc")
"output"
