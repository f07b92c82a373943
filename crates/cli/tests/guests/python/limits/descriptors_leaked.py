# expect: output ["Too many open files",true]
import os
opened = 0
try:
    while opened < 10000:
        os.open("/dev/null", os.O_RDONLY)
        opened += 1
except OSError as error:
    result = [error.strerror, opened < 256]
