# expect: error limit.time: the program ran longer than its limit of 700 ms
# hint: do less per run, or let the user raise `limits.time`
# timeout: 700 ms
import threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
"output"
