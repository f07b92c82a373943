# What every attempt begins with. `REPORT` is `result` in a program, and printed
# where there is no jail.
import errno
import json
import os

REPORT = {}


def attempt(name, act):
    try:
        REPORT[name] = "ok" if act() is not False else "in vain"
    except OSError as error:
        REPORT[name] = errno.errorcode.get(error.errno) or type(error).__name__
    except BaseException as error:
        REPORT[name] = type(error).__name__


def refuse(reason=None):
    """For what has an answer that is no success."""
    raise PermissionError(errno.EPERM, str(reason))


class Harmful(Exception):
    """Outside it would harm the machine, and that it works is known."""


def harmful():
    if OUTSIDE:
        raise Harmful


def reached(act):
    """Whether the kernel went as far as to look at what it was asked for."""
    try:
        act()
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
            raise
    return True


def in_child(act):
    """In a process of its own, which says by its end whether it worked."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 1:
        refuse()
    return code


def parent_is_stopped():
    """Outside the parent is the test itself, so only whether it could be."""
    import signal
    if OUTSIDE:
        return os.kill(os.getppid(), 0) is None
    os.kill(os.getppid(), signal.SIGSTOP)
    os.kill(os.getppid(), signal.SIGKILL)
