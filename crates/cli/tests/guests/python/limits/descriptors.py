# expect: output ["Too many open files",true]
import os
fds = []
try:
    while True:
        fds.append(os.dup(1))
except OSError as error:
    result = [error.strerror, len(fds) < 256]
for fd in fds: os.close(fd)
