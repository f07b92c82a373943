# expect: error limit.output: the program printed or returned more than its limit of 32 MB
# hint: print and return less, or let the user raise `limits.output`
# logs: any
import gc, struct
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
while True:
    channel.send(4, b"\1", struct.pack("<I", 1 << 20), b"x" * (1 << 20))
