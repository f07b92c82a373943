# expect: error limit.memory: the program used more than its limit of 64 MB of memory
# hint: work in smaller pieces, or let the user raise `limits.memory`
import mmap
maps = []
while True:
    m = mmap.mmap(-1, 1 << 20)
    m.write(b"x" * (1 << 20))
    maps.append(m)
