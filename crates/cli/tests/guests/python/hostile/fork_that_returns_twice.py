# expect: output true
import os
os.fork()
os.getpid() > 0
