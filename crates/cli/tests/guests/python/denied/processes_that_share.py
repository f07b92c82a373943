# expect: error program.threw at line 8, column 6: the program threw: FileNotFoundError: [Errno 2] No such file or directory\n  | line 8: with ProcessPoolExecutor(2) as pool:
# hint: the run suggests: processes share nothing here: use threads, e.g. `ThreadPoolExecutor`
from concurrent.futures import ProcessPoolExecutor

def square(x):
    return x * x

with ProcessPoolExecutor(2) as pool:
    result = list(pool.map(square, [1, 2, 3]))
