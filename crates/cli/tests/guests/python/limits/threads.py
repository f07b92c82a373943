# expect: output ["can't start new thread",true]
import threading
event = threading.Event()
n = 0
try:
    while n < 1000:
        threading.Thread(target=event.wait, daemon=True).start()
        n += 1
except RuntimeError as error:
    result = [str(error), 4 <= n <= 20]
event.set()
