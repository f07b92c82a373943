"""What went wrong, as the gateway tells it: a code, a message, the program's own
line, and what to do about it.
"""

import errno
import re

from .program import FILE_NAME

# Lines of a traceback at most; the first and the last ones are kept.
MOST_LINES = 12


def of_syntax(error, source):
    """Of a program that does not compile."""
    line = error.lineno
    column = error.offset
    message = f"{type(error).__name__}: {error.msg}"
    text = _line(source, line)
    if text:
        message += f"\n  line {line}: {text}"
    return {"code": "program.syntax", "message": message, "line": line, "column": column or None,
            "hint": _syntax_hint(error, text)}


def of_exception(error, source):
    """Of a program that raised."""
    frames = _own_frames(error)
    line, column = (frames[-1][0], frames[-1][1]) if frames else (None, None)
    message = _title(error)
    # Only a cause that the program gave itself.
    cause = error.__cause__
    if cause is not None and _own_frames(cause):
        message += f"\n  caused by {_title(cause)}"
    if len(frames) > 1:
        message += "".join(f"\n  line {at}, in {name}: {_line(source, at)}"
                           for at, _, name in _shortened(frames))
    elif line:
        message += f"\n  line {line}: {_line(source, line)}"
    return {"code": _code(error), "message": message, "line": line,
            "column": column, "hint": _hint(error)}


def _code(error):
    if isinstance(error, MemoryError):
        return "limit.memory"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return "limit.disk"
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and "." in code else "program.threw"


def _title(error):
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{name}: {text}" if text else name


def _own_frames(error):
    """Line, column and function of every frame that is the program's own."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == FILE_NAME:
            frames.append((trace.tb_lineno, _column(code, trace.tb_lasti), code.co_name))
        trace = trace.tb_next
    return frames


def _column(code, instruction):
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return None
    for index, (_, _, column, _) in enumerate(positions()):
        if index == instruction // 2:
            return None if column is None else column + 1
    return None


def _shortened(frames):
    if len(frames) <= MOST_LINES:
        return frames
    half = MOST_LINES // 2
    return [*frames[:half], *frames[-half:]]


def _line(source, number):
    lines = source.splitlines()
    if not number or number > len(lines):
        return ""
    return lines[number - 1].strip()[:120]


def _syntax_hint(error, text):
    if "await" in (error.msg or "") and "outside" in error.msg:
        return "make the function `async def`"
    if text.startswith(("const ", "let ", "var ", "import {", "import * as")) or text.endswith(";"):
        return "this looks like TypeScript: pass `language: \"typescript\"`"
    return None


def _hint(error):
    hint = getattr(error, "hint", None)
    if isinstance(hint, str):
        return hint
    if isinstance(error, ModuleNotFoundError) and error.name:
        return (f"only the standard library and `servers` can be imported; for `{error.name}` name a "
                "virtual environment that has it in `python.packages`")
    if isinstance(error, RecursionError):
        return "the recursion is too deep or has no end"
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return _near_key(error)
    if isinstance(error, (NameError, AttributeError)):
        return _near_name(error)
    return None


def _near_name(error):
    name = getattr(error, "name", None)
    if name is None:
        # Before Python 3.10 it is only in the text.
        found = re.search("'([^']+)'[^']*$" if isinstance(error, AttributeError) else "'([^']+)'", str(error))
        name = found and found.group(1)
    if not isinstance(name, str):
        return None
    if not isinstance(error, AttributeError):
        return _did_you_mean(name, _names_in_reach(error))
    owner = getattr(error, "obj", None)
    return _did_you_mean(name, list(owner) if isinstance(owner, dict) else dir(owner))


def _near_key(error):
    """The nearest key of a dict that the failing line could have meant."""
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
