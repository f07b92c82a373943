# expect: error worker.died: the worker broke the protocol
import gc, os, struct
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
channel.send(1, struct.pack("<II", 3, 0))
"output"
