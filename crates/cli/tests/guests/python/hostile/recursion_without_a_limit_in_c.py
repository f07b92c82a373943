# expect: output true
import json, sys
sys.setrecursionlimit(10**6)
deep = []
for _ in range(50000):
    deep = [deep]
try:
    result = len(repr(deep)) > 0
except (RecursionError, MemoryError) as error:
    result = True
