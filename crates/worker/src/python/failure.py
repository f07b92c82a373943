"""Describes errors for the gateway: a fault of the program with a message and a hint, or
a limit, or the request that the gateway answered with an error; and the line in the program.
"""

import errno
import opcode
import os
import re

from .api import Answered, ToolError, UnknownName
from .program import FILE_NAME

def _instructions(*names):
    # Each version of Python has only some of them.
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


# The instructions at which a frame does not fail itself: a `raise` statement, and those at
# which a generator or a coroutine is given an error by its caller.
GIVEN = _instructions("RAISE_VARARGS", "RERAISE", "YIELD_VALUE", "RESUME", "RETURN_GENERATOR", "GEN_START",
                      "GET_AWAITABLE", "POP_TOP")

# At these it waits for somebody else's error. A coroutine that awaits itself recurses here.
AWAITED = _instructions("SEND", "YIELD_FROM")

# Maximum lines of a traceback; the first and the last ones are kept.
MOST_LINES = 12

# Maximum errors reported for a group.
MOST_OF_GROUP = 5


class Stopped(KeyboardInterrupt):
    """A limit was reached. A program cannot continue then, so `except Exception` does
    not catch it; the gateway ends a program that catches everything. Derives from an
    exception that the asyncio loop lets through wherever it is raised."""

    def __init__(self, limit, place):
        super().__init__("stopped")
        self.limit, self.place = limit, place


def of_syntax(error, source):
    """The error of a program that does not compile."""
    line = error.lineno
    column = error.offset
    message = f"{type(error).__name__}: {error.msg}"
    text = _line(source, line)
    if text:
        message += f"\n  line {line}: {text}"
    return {"fault": "syntax", "message": message, "line": line, "column": column or None,
            "hint": _syntax_hint(error, text)}


def of_exception(error, source):
    """The error of a program that raised an exception."""
    group, error = error, _only_one(error)
    frames = _own_frames(error) or _own_frames(group) or getattr(error, "place", [])
    line, column = (frames[-1][0], frames[-1][1]) if frames else (None, None)
    message = _title(error)
    # Only a cause from the program's own code.
    cause = error.__cause__
    if cause is not None and _own_frames(cause):
        message += f"\n  caused by {_title(cause)}"
    for each in getattr(error, "exceptions", ())[:MOST_OF_GROUP]:
        own = _own_frames(each)
        message += f"\n  - {_title(each)}" + (f" (line {own[-1][0]})" if own else "")
    if len(frames) > 1:
        message += "".join(f"\n  line {at}, in {name}: {_line(source, at)}" for at, _, name in frames)
    elif line:
        message += f"\n  line {line}: {_line(source, line)}"
    return {"limit": _limit(error), "request": _request(error), "fault": "threw", "message": message,
            "line": line, "column": column, "hint": _hint(error)}


def _only_one(error):
    """The only error of a group of one: `TaskGroup` creates such groups."""
    inner = getattr(error, "exceptions", None)
    for _ in range(MOST_OF_GROUP):
        if not (isinstance(inner, tuple) and len(inner) == 1 and isinstance(inner[0], BaseException)):
            break
        error, inner = inner[0], getattr(inner[0], "exceptions", None)
    return error


def _limit(error):
    if isinstance(error, Stopped):
        return error.limit
    if _is_thrown(error):
        return None
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, RecursionError):
        return "stack"
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return "memory"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return "disk"
    return None


def _is_thrown(error):
    """Whether somebody has handed this error in, the program or a library, and not Python
    itself. Where the error began, no instruction failed then: it was raised or passed on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    if trace.tb_lasti < 0:
        return True
    instruction = trace.tb_frame.f_code.co_code[trace.tb_lasti]
    return instruction in GIVEN or (instruction in AWAITED and not isinstance(error, RecursionError))


def _request(error):
    answered = getattr(error, "_answered", None) if isinstance(error, (ToolError, ImportError)) else None
    number = answered.number if type(answered) is Answered else None
    return number if type(number) is int and 0 < number < 1 << 32 else None


def _title(error):
    # The name under which a program can catch it.
    name = "ToolError" if isinstance(error, UnknownName) else type(error).__name__
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{name}: {text}" if text else name


def _own_frames(error):
    """Line, column and function of the program's own frames: only the first and the
    last ones, since there can be millions."""
    first, last = [], []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            kept = first if len(first) < MOST_LINES // 2 else last
            kept.append(trace)
            if len(last) > MOST_LINES // 2:
                del last[0]
        trace = trace.tb_next
    return [(trace.tb_lineno, _column(trace.tb_frame.f_code, trace.tb_lasti), trace.tb_frame.f_code.co_name)
            for trace in first + last]


def place_of_tasks():
    """Where the program waits if none of its frames is on the stack: the frames of
    the first asyncio task with code of the program."""
    import asyncio
    try:
        tasks = sorted(asyncio.all_tasks(), key=lambda task: task.get_name())
    except RuntimeError:
        return []
    for task in tasks:
        frames, waiting = [], task.get_coro()
        while waiting is not None and len(frames) < MOST_LINES:
            frame = getattr(waiting, "cr_frame", None)
            if frame is not None and frame.f_code.co_filename == FILE_NAME:
                frames.append((frame.f_lineno, _column(frame.f_code, frame.f_lasti), frame.f_code.co_name))
            waiting = getattr(waiting, "cr_await", None)
        if frames:
            return frames
    return []


def of_the_rest(error):
    """For an error that cannot be described: memory or stack is exhausted, or
    inspecting the error fails as well."""
    kind = type(error)
    limit = {MemoryError: "memory", RecursionError: "stack"}.get(kind)
    if kind is Stopped:
        limit = error.limit
    return {"limit": limit, "fault": "threw", "message": type.__dict__["__name__"].__get__(kind),
            "line": None, "column": None, "hint": None}


def _column(code, instruction):
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return None
    for index, (_, _, column, _) in enumerate(positions()):
        if index == instruction // 2:
            return None if column is None else column + 1
    return None


def _line(source, number):
    lines = source.splitlines()
    if not number or number > len(lines):
        return ""
    return lines[number - 1].strip()[:120]


def _syntax_hint(error, text):
    if "await" in (error.msg or "") and "outside" in error.msg:
        return "make the function `async def`"
    if "'return' outside" in (error.msg or ""):
        return "assign the value to `result`"
    if text.startswith(("const ", "let ", "var ", "import {", "import * as")) or text.endswith(";"):
        return "this looks like TypeScript: pass `language: \"typescript\"`"
    return None


def _hint(error):
    hint = getattr(error, "hint", None)
    if isinstance(hint, str):
        return hint
    if isinstance(error, ModuleNotFoundError) and error.name:
        instead = "use `fetch(url)`, which needs no import; " if error.name in CLIENTS else ""
        return (f"{instead}only the standard library and `servers` can be imported; for `{error.name}` name a "
                "virtual environment that has it in `python.packages`")
    if isinstance(error, EOFError) and "reading a line" in str(error):
        return "nobody can type anything: write the value into the program"
    if isinstance(error, (ImportError, OSError)):
        return _outside(error)
    if isinstance(error, RuntimeError) and "running event loop" in str(error):
        return "write `await main()` instead of `asyncio.run(main())`"
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return _near_key(error)
    if isinstance(error, (NameError, AttributeError)):
        return _near_name(error)
    return None


# Packages that open their own connections. As in `python_check.rs`.
CLIENTS = ("aiohttp", "httpx", "requests", "urllib3")

NO_NETWORK = "programs make no connections of their own: use `fetch(url)`, or call a tool of a server"


def _outside(error):
    """The hint for an attempt to reach something outside the jail."""
    text = str(error)
    if "libssl" in text or "_ssl" in text or error.__class__.__name__ in ("URLError", "gaierror"):
        return NO_NETWORK
    if isinstance(error, ImportError):
        return None
    name = error.filename if isinstance(error.filename, str) else ""
    if error.errno == errno.EPERM and not name:
        return NO_NETWORK
    if isinstance(error, FileNotFoundError) and not name:
        return "processes share nothing here: use threads, e.g. `ThreadPoolExecutor`"
    if error.errno in (errno.EACCES, errno.EROFS) and _begins(name, "servers", "skills"):
        return "`./servers` and `./skills` can only be read: write to `./workspace`"
    if error.errno in (errno.EACCES, errno.EROFS, errno.ENOENT, errno.EPERM) and name:
        if _begins(name, "workspace"):
            return _near_file(name)
        return "programs see `./workspace`, `./servers` and `./skills`, and no other files or programs of the machine"
    return None


def _begins(name, *folders):
    parts = [part for part in name.split("/") if part not in ("", ".", "tmp")]
    return parts[:1] and parts[0] in folders


def _near_file(name):
    folder, _, file = name.rpartition("/")
    try:
        return _did_you_mean(file, os.listdir(folder))
    except OSError:
        return None


def _near_name(error):
    name = getattr(error, "name", None)
    if name is None:
        # Before Python 3.10 the name is only in the text.
        found = re.search("'([^']+)'[^']*$" if isinstance(error, AttributeError) else "'([^']+)'", str(error))
        name = found and found.group(1)
    if not isinstance(name, str):
        return None
    if not isinstance(error, AttributeError):
        return _did_you_mean(name, _names_in_reach(error))
    owner = getattr(error, "obj", None)
    return _did_you_mean(name, list(owner) if isinstance(owner, dict) else dir(owner))


def _near_key(error):
    """Suggests the nearest key of a dict in the scope of the failing line."""
    trace = error.__traceback__
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            found = trace.tb_frame
        trace = trace.tb_next
    if found is None:
        return None
    keys = [key for value in list(found.f_locals.values()) if isinstance(value, dict)
            for key in list(value)[:200] if isinstance(key, str)]
    return _did_you_mean(error.args[0], keys)


def _names_in_reach(error):
    trace = error.__traceback__
    names = []
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename == FILE_NAME:
            names = [*frame.f_locals, *frame.f_globals, *frame.f_builtins]
        trace = trace.tb_next
    return names


def _did_you_mean(name, names):
    names = [each for each in dict.fromkeys(names) if isinstance(each, str) and not each.startswith("__")]
    import difflib
    near = difflib.get_close_matches(name, names, 1, 0.7)
    if near and near[0] != name:
        return f"did you mean `{near[0]}`?"
    return None
