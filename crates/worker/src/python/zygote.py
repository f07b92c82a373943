"""Waits for orders of the gateway, and is forked for each.

In: a library with which a process confines itself, and a folder of packages, or
nothing. Out: `born` returns in a new process, which is confined by then and has what
programs usually import; in this one it never does. No line of a program runs here.
"""

import ctypes
import gc
import os

# What programs of models import most. All of the standard library; none of them
# starts a thread, reads a file or keeps random numbers over a fork.
COMMON = (
    "argparse", "array", "ast", "asyncio", "base64", "bisect", "calendar", "collections",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum",
    "fractions", "functools", "hashlib", "heapq", "html", "inspect", "io", "itertools",
    "json", "logging", "math", "operator", "pathlib", "pprint", "random", "re", "secrets",
    "statistics", "string", "struct", "tempfile", "textwrap", "time", "traceback", "types",
    "typing", "unicodedata", "urllib.parse", "uuid", "zlib", "zoneinfo",
)

# More than a first frame has: a line for each layer of the jail, with reasons.
HELLO_BYTES = 64 * 1024

READY = b"\1"


def born(library):
    """The first frame of the new process."""
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
            # Distributions leave some out.
            pass
    # What is there stays, so whoever collects need not touch, and so copy, it.
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
