# expect: output ["BlockingIOError",true]
import os, time
n = 0
try:
    while n < 1000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        n += 1
except OSError as error:
    result = [type(error).__name__, 4 <= n <= 20]
