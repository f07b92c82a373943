"""Waits for requests from the gateway and forks a process for each.

In: a library with which a process confines itself. Out: `born` returns in a new
process, which is already confined and has the usual imports of programs loaded; it
never returns in this process. No program code runs here.
"""

import ctypes
import gc
import os

# The modules that programs of models import most. All are in the standard library; none
# starts a thread, reads a file or keeps random numbers across a fork.
COMMON = (
    "argparse", "array", "ast", "asyncio", "base64", "bisect", "calendar", "collections",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum",
    "fractions", "functools", "hashlib", "heapq", "html", "inspect", "io", "itertools",
    "json", "logging", "math", "operator", "pathlib", "pprint", "random", "re", "secrets",
    "statistics", "string", "struct", "tempfile", "textwrap", "time", "traceback", "types",
    "typing", "unicodedata", "urllib.parse", "uuid", "zlib", "zoneinfo",
)

# Larger than any first frame: one line per layer of the jail, with reasons.
HELLO_BYTES = 64 * 1024

READY = b"\1"


def born(library):
    """Returns the first frame of the new process."""
    # The functions are called with Python's lock held: there is one thread.
    ours = ctypes.PyDLL(library)
    ours.tidegate_fork.restype = ctypes.c_size_t
    ours.tidegate_fork.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    hello = ctypes.create_string_buffer(HELLO_BYTES)
    python = ctypes.pythonapi
    for name in COMMON:
        try:
            __import__(name)
        except ImportError:
            # Some distributions omit modules.
            pass
    # These objects are permanent: a collection must not touch, and so copy, their pages.
    gc.collect()
    gc.freeze()
    os.write(0, READY)
    while ours.tidegate_wait():
        python.PyOS_BeforeFork()
        length = ours.tidegate_fork(hello, HELLO_BYTES)
        if length:
            python.PyOS_AfterFork_Child()
            return hello.raw[:length]
        python.PyOS_AfterFork_Parent()
    os._exit(0)
