# expect: output "output"
# logs: "worked\nat the end"
import atexit, threading, time

def work():
    time.sleep(0.1)
    print("worked")

threading.Thread(target=work).start()
atexit.register(print, "at the end")
"output"
