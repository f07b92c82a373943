"""One run: hello, a program, its output, the end."""

import atexit
import builtins
import io
import os
import resource
import signal
import sys
import threading
import time
import types

from . import channel as wire
from . import failure, fetch, files
from .api import Commands, Finder, Host, Pii, Servers, ToolError, Later
from .api import awaited, is_coroutine, later, may_be_later, taker
from .channel import Channel, Gone, Reader
from .failure import Stopped
from .program import AWAITED, FILE_NAME, LAST, LATER, RETURN, RETURNED, TAKER
from .program import Program, Returned, returned
from .values import Unfit, encode

# Text is sent when this much has been printed, and when the program calls or ends.
PRINT_BYTES = 8192

INFO, ERROR = b"\1", b"\3"

# Memory beyond the program's own: the interpreter, and stacks of some threads.
OVERHEAD_BYTES = 64 * 1024 * 1024

# Delay before another attempt to stop a program that could not be stopped.
AGAIN_SECONDS = 0.001

# Stack of a thread that a program starts: address space is limited, and with the
# system's default 40 threads would use all of it. A program can set its own size.
STACK_BYTES = 1024 * 1024


class Found(list):
    """Tools, with the recommendation as an attribute: iterating yields only tools."""

    recommended = None


class Printed(io.TextIOBase):
    """Standard output, or standard error, of a program."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, channel, level):
        self.channel, self.level, self.parts, self.size = channel, level, [], 0
        self.other = None

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        # Both streams become one text, in the order of the writes.
        if self.other is not None and self.other.parts:
            self.other.flush()
        self.parts.append(text)
        self.size += len(text)
        if self.size >= PRINT_BYTES:
            self.flush()
        return len(text)

    def flush(self):
        if not self.parts:
            return
        text, self.parts, self.size = "".join(self.parts), [], 0
        if text:
            self.channel.send(wire.LOG, self.level, wire.text(text))

    @property
    def buffer(self):
        return _Bytes(self)


class _Bytes(io.RawIOBase):
    """The same for bytes."""

    def __init__(self, printed):
        self.printed = printed

    def writable(self):
        return True

    def write(self, data):
        self.printed.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self):
        self.printed.flush()


def is_within(frame, code):
    """Whether a frame runs this code or is called by it. Searches 20 frames: it calls little."""
    for _ in range(20):
        if frame is None:
            return False
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


class Order:
    """The program to run and its limits, from the gateway. The JavaScript for an engine
    comes last and is not read here."""

    def __init__(self, frame):
        self.source = frame.text()
        self.time_ms, self.cpu_ms = frame.u32(), frame.u32()
        self.memory_bytes, self.output_bytes = frame.u64(), frame.u64()


class Run:
    """The run of one program. Everything that does not need the program is done in `__init__`."""

    def __init__(self, channel):
        self.channel, self.host = channel, Host(channel)
        self.out, self.err = Printed(channel, INFO), Printed(channel, ERROR)
        self.out.other, self.err.other = self.err, self.out
        # Text printed before a call is sent before it.
        self.host.before_send = self.flush
        files.Shown(self.host).install()
        self.names = self.named()
        rehearse()

    def limit(self, order):
        """Interrupts the program when its time is up, so that the error can name the
        line. The gateway has a clock of its own."""
        def stop(number, frame):
            if is_within(frame, again.__code__):
                # An exception cannot propagate from there either; it would only be printed.
                timer = signal.ITIMER_REAL if number == signal.SIGALRM else signal.ITIMER_PROF
                signal.setitimer(timer, AGAIN_SECONDS)
                return
            place = failure.place_of_tasks() if "asyncio" in sys.modules else []
            raise Stopped("time" if number == signal.SIGALRM else "cpu", place)
        self.missed = missed = []
        def again(ignored):
            # Python ignores exceptions in some places, such as its handlers for a fork.
            # Errors that follow from that, for example for a lock that was not taken, are
            # not the program's fault.
            if not isinstance(ignored.exc_value, Stopped):
                return None if missed else sys.__unraisablehook__(ignored)
            missed.append(ignored.exc_value)
            timer = signal.ITIMER_REAL if ignored.exc_value.limit == "time" else signal.ITIMER_PROF
            signal.setitimer(timer, AGAIN_SECONDS)
        sys.unraisablehook = again
        # So that a `MemoryError` can be reported before the kernel kills the process.
        most = order.memory_bytes + OVERHEAD_BYTES
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        signal.signal(signal.SIGALRM, stop)
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_REAL, order.time_ms / 1000)
        used = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, used + order.cpu_ms / 1000)

    def outcome(self, order):
        """JSON text of the output, and the error: at least one of them is None."""
        self.limit(order)
        source = order.source
        try:
            program = Program(source)
        except Stopped as error:
            return None, failure.of_exception(error, source)
        except SyntaxError as error:
            return None, failure.of_syntax(error, source)
        except (ValueError, RecursionError, MemoryError) as error:
            return None, failure.of_syntax(SyntaxError(str(error)), source)
        try:
            try:
                value = self.value(program)
                output = None if value is None else encode(value)
            finally:
                self.flush()
            return output, None
        except Unfit as error:
            return None, {"fault": "bad_output", "message": str(error), "line": None,
                          "column": None, "hint": error.hint}
        except Gone:
            raise
        except BaseException as error:
            try:
                return None, failure.of_exception(error, source)
            except BaseException:
                return None, failure.of_the_rest(error)

    def value(self, program):
        names = self.names
        sys.stdout = sys.__stdout__ = self.out
        sys.stderr = sys.__stderr__ = self.err
        # There is no interactive input.
        sys.stdin = sys.__stdin__ = io.StringIO()
        threading.stack_size(STACK_BYTES)
        try:
            if program.is_async:
                import asyncio
                asyncio.run(self.awaited(program, names))
            else:
                exec(program.code, names)
            value = names["result"] if "result" in names else names.get(LAST)
        except Returned as end:
            value = end.value
        except SystemExit as error:
            # `sys.exit()` is a normal way to end a script.
            if error.code not in (None, 0):
                raise
            value = names.get("result")
        value = value._value() if isinstance(value, Later) else self.driven(value)
        self.end_of_script()
        return value

    def end_of_script(self):
        """What Python itself does at exit: joins threads, then runs `atexit`."""
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        atexit._run_exitfuncs()
        # It suppresses exceptions, but the limit was still exceeded.
        if self.missed:
            raise self.missed[0]
        self.host.finish()

    async def awaited(self, program, names):
        await types.FunctionType(program.code, names)()

    def driven(self, value):
        """The last expression may be `main()` of an `async def main`."""
        if is_coroutine(value):
            import asyncio
            return asyncio.run(value)
        return value

    def flush(self):
        self.out.flush()
        self.err.flush()

    def named(self):
        """Creates the globals of a program."""
        servers = Servers(self.host)
        sys.modules["servers"] = servers
        sys.meta_path.insert(0, Finder(servers))
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        names = module.__dict__
        host = self.host

        def call_tool(name, arguments=None, more=None, raw=False, **named):
            """Calls a tool by its full name, `server__tool`."""
            return send(host.call, name, arguments, more, raw, named)

        def send(send, name, arguments, more, raw, named):
            # Some programs pass the server and the tool separately; arguments are never a string.
            if isinstance(arguments, str):
                name, arguments = f"{name}__{arguments}", more
            text = encode({**(arguments or {}), **named}, "arguments")
            return send(wire.CALL, wire.text(str(name)), wire.text(text), bytes((bool(raw),)), name=str(name))

        call_tool.__later__ = lambda name, arguments=None, more=None, raw=False, **named: Later(
            host, *send(host.send, name, arguments, more, raw, named))

        def search_tools(query, detail="description", **options):
            """Tools that fit a query."""
            answer = host.ask("search", encode({**options, "detail": detail, "query": str(query)}))
            found = Found(answer["results"])
            found.recommended = answer["recommended"]
            return found

        def load_skill(name):
            """The code of a skill, or its text if it has none."""
            return host.ask("loadSkill", wire.cut(str(name), wire.MOST_NAME))

        def save_skill(name, code, description=""):
            """Saves code in Python for later runs."""
            text = encode({"name": name, "code": code, "description": description}, "skill")
            # If this is truncated, it is not valid JSON, and the gateway states the limits.
            return host.ask("saveSkill", wire.cut(text, wire.MOST_SKILL))

        def help(*request):
            """What Python knows of something."""
            import pydoc
            return pydoc.help(*request)

        for value in (call_tool, search_tools, load_skill, save_skill, files.read_file,
                      files.write_file, files.list_files, ToolError, help):
            setattr(builtins, value.__name__, value)
        # Normally defined by the module `site`, which is not loaded.
        builtins.exit = builtins.quit = sys.exit
        builtins.servers = servers
        builtins.commands = Commands(host)
        builtins.pii = Pii(host)
        builtins.fetch = fetch.Fetch(host)
        for name, value in ((LATER, later), (AWAITED, awaited), (TAKER, taker),
                            (RETURN, may_be_later), (RETURNED, returned)):
            setattr(builtins, name, value)
        names["__file__"] = FILE_NAME
        names["__builtins__"] = builtins
        return names


class Stage(Channel):
    """A channel without a gateway: every call is answered with its own number."""

    def send_frame(self, frame):
        self.received += wire.reply(Reader(frame[5:]).u32())


def rehearse():
    """Does once what every run does. Otherwise a forked process would spend most of a
    short run on copying memory, page by page."""
    program = Program("import json\nresult = {'a': [text for text in 'b'], 'c': 1.5}")
    names = {}
    exec(program.code, names)
    host = Host(Stage(0))
    host.call(wire.CALL, wire.text(encode(names["result"])), name="a__b")


def serve(descriptor, hello):
    """Says hello, runs the program that arrives, and reports how it ended."""
    channel = Channel(_apart(descriptor))
    run = Run(channel)
    # Processes that the program forks do not take part in the run.
    os.register_at_fork(after_in_child=channel.leave)
    channel.send_frame(hello)
    frame = channel.next()
    if frame.u8() != wire.RUN:
        return 2
    output, error = run.outcome(Order(frame))
    signal.setitimer(signal.ITIMER_REAL, 0)
    memory = wire.u64(_peak_memory())
    if error is None:
        channel.send(wire.DONE, wire.optional(output), memory)
    else:
        channel.send(wire.FAILED, wire.failure(error), memory, wire.u64(0))
    return 0


def _apart(descriptor):
    """Moves the channel to a descriptor that processes of the program do not inherit;
    standard input becomes empty."""
    own = os.dup(descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return own


def _peak_memory():
    try:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    except Exception:
        # The program may have made it impossible to import anything.
        return 0
