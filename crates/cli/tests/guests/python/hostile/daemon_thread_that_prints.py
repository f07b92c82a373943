# expect: output "output"
# logs: any
import threading
def talk():
    while True:
        print("x")
threading.Thread(target=talk, daemon=True).start()
"output"
