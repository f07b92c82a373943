# expect: output "output"
# logs: any
# timeout: 700 ms
import atexit
def spin():
    while True:
        pass
atexit.register(spin)
"output"
