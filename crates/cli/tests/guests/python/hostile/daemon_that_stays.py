# expect: output "left"
import os, time
if os.fork() == 0:
    try:
        os.setsid()
    except OSError:
        pass
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
os.wait()
"left"
