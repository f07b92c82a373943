# expect: error limit.time: the program ran longer than its limit of 700 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 700 ms
import gc, os, signal, time
signal.setitimer(signal.ITIMER_REAL, 0)
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
os.write(channel.descriptor, b"\xff\x00\x00\x00\x05")
time.sleep(1000)
