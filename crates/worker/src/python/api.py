"""The gateway's API for programs: `servers`, `call_tool`, `search_tools`, `pii`,
`commands`, `fetch`, and tool errors.

Not a security boundary: a program can modify all of this and gains nothing, since
the gateway resolves, checks and decides every call.
"""

import builtins
import re
import sys
import threading
import types

from . import channel as wire
from . import values
from .channel import Channel, Gone
from .program import RETURN
from .values import Unfit, decode, encode


# The same as `importlib.machinery.ModuleSpec`, which takes longer to import.
_ModuleSpec = type(sys.__spec__)


class Answered:
    """The request that the gateway answered with an error. A class of its own, since
    libraries and programs have numbers of requests too."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


class ToolError(Exception):
    """A tool, or the way to it, failed. `code`, `server`, `tool`, `hint`."""

    _answered = None

    def __init__(self, message, code="call.failed", hint=None, server=None, tool=None):
        super().__init__(message)
        self.message = message
        self.code, self.hint, self.server, self.tool = code, hint, server, tool


class UnknownName(ToolError, AttributeError):
    """There is no such server or tool. An `AttributeError` as well, so that
    `hasattr` and the default of `getattr` work."""

    @classmethod
    def of(cls, error):
        """Converts the gateway's error for an unknown name; returns others unchanged."""
        if error.code not in ("call.unknown_server", "call.unknown_tool"):
            return error
        unknown = cls(error.message, error.code, error.hint, error.server, error.tool)
        unknown._answered = error._answered
        return unknown


class Host:
    """Calls in flight. An answer goes to the waiter for its number: a future of a
    running loop, or a blocked thread. If several threads are blocked, one of them
    reads for all."""

    def __init__(self, channel: Channel):
        self.channel = channel
        self.last = 0
        self.waiting = {}
        self.answers = {}
        self.watching = None
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        # Threads that wait while another one reads.
        self.others = 0
        self.reading = False
        self.asking = threading.Lock()
        self.before_send = lambda: None

    def send(self, kind, *fields, name="", convert=None):
        """Sends a request. Returns what `wait` needs for the answer: its number, the
        name of the tool, and how to convert the answer."""
        with self.lock:
            self.before_send()
            number = self.last = self.last + 1
            self.send_question(kind, number, fields)
            self.answers[number] = None
        return number, name, convert

    def call(self, kind, *fields, name="", convert=None):
        """Sends a request and blocks until its answer arrives: `wait(*send(…))` with a
        fast path for the only call in flight, the usual case. Other processes run
        between two calls, so everything that this touches is cold in the cache."""
        with self.lock:
            if self.reading or self.answers:
                question = self.send(kind, *fields, name=name, convert=convert)
            else:
                self.before_send()
                number = self.last = self.last + 1
                self.send_question(kind, number, fields)
                frame = self.read_frame()
                answered, ok, text = frame.reply()
                if ok and answered == number:
                    return convert(decode(text)) if convert else decode(text)
                question = number, name, convert
                self.answers[number] = None
                self.note(frame, answered, ok, text)
        return self.wait(*question)

    def send_question(self, kind, number, fields):
        try:
            self.channel.send(kind, wire.u32(number), *fields)
        except wire.TooLong as error:
            raise ToolError(f"{error} bytes are too much for one call", "call.bad_argument",
                            "pass less at once") from None

    def wait(self, number, name="", convert=None):
        """Blocks until this answer arrives."""
        with self.lock:
            while self.answers[number] is None:
                if self.reading:
                    self.others += 1
                    try:
                        self.changed.wait()
                    finally:
                        self.others -= 1
                else:
                    self.take(self.read_frame())
            answer = self.answers.pop(number)
        return self.value(number, answer, name, convert)

    def read_frame(self):
        """Reads one frame without blocking other threads that send."""
        self.reading = True
        self.lock.release()
        try:
            return self.channel.next()
        finally:
            self.lock.acquire()
            self.reading = False
            if self.others:
                self.changed.notify_all()

    async def later(self, number, name="", convert=None):
        """Like `wait`, without blocking the event loop."""
        import asyncio
        loop = asyncio.get_running_loop()
        with self.changed:
            future = None
            if self.answers[number] is None:
                self.watch(loop)
                future = self.waiting[number] = loop.create_future()
        if future is not None:
            try:
                await future
            finally:
                self.waiting.pop(number, None)
        return self.value(number, self.answers.pop(number), name, convert)

    def watch(self, loop):
        if self.watching is not loop:
            self.watching = loop
            loop.add_reader(self.channel.descriptor, self.take_all)

    def take_all(self):
        with self.changed:
            # A blocked thread is already reading.
            if not self.reading:
                for frame in self.channel.come():
                    self.take(frame)
                self.changed.notify_all()

    def take(self, frame):
        self.note(frame, *frame.reply())

    def note(self, frame, number, ok, text):
        if number not in self.answers:
            return
        self.answers[number] = (True, text) if ok else (False, frame.failure())
        future = self.waiting.get(number)
        if future is not None and not future.get_loop().is_closed():
            future.get_loop().call_soon_threadsafe(_wake, future)

    def value(self, number, answer, name, convert):
        ok, content = answer
        if ok:
            return convert(decode(content)) if convert else decode(content)
        server, border, tool = name.partition("__")
        error = ToolError(content["message"], content["code"], content["hint"])
        error._answered = Answered(number)
        if border:
            error.server, error.tool = server, tool
        raise error

    def ask(self, question, body):
        # The gateway answers one question at a time.
        with self.asking:
            return self.call(wire.ASK, bytes((wire.QUESTIONS[question],)), wire.text(body))

    def finish(self):
        """Waits for calls that were never awaited: they must still complete. Raises
        the first failure."""
        for number in list(self.answers):
            self.wait(number)


def _wake(future):
    if not future.done():
        future.set_result(None)


class Later:
    """A call that was started but not waited for. It can be awaited; when used as a
    value, it waits and acts as that value."""

    def __init__(self, host, *question):
        object.__setattr__(self, "_parts", (host, question))
        object.__setattr__(self, "_inner", None)
        object.__setattr__(self, "_known", None)

    def _coroutine(self):
        if self._inner is None:
            object.__setattr__(self, "_inner", self._run())
        return self._inner

    async def _run(self):
        host, question = self._parts
        if self._known is None:
            value = await host.later(*question)
            object.__setattr__(self, "_known", (value,))
        return self._known[0]

    # The protocol of a coroutine, so that `asyncio.create_task` accepts it.
    def __await__(self):
        return self._coroutine().__await__()

    def send(self, value):
        return self._coroutine().send(value)

    def throw(self, *error):
        return self._coroutine().throw(*error)

    def close(self):
        return self._coroutine().close()

    def _value(self):
        if self._known is None:
            host, question = self._parts
            object.__setattr__(self, "_known", (host.wait(*question),))
        return self._known[0]

    def __getattr__(self, name):
        return getattr(self._value(), name)


def _as_value(name):
    def method(self, *arguments):
        return getattr(self._value(), name)(*arguments)
    method.__name__ = name
    return method


for _name in ("getitem setitem delitem contains len eq ne lt le gt ge add radd "
              "sub rsub mul rmul truediv floordiv mod int float index format call").split():
    setattr(Later, f"__{_name}__", _as_value(f"__{_name}__"))
# As an output or an argument it is replaced by its value.
values.ALWAYS[Later] = Later._value
# asyncio collects awaitables in sets and dicts, which need a hash.
Later.__hash__ = object.__hash__
Later.__bool__ = lambda self: bool(self._value())
Later.__str__ = lambda self: str(self._value())
Later.__repr__ = lambda self: repr(self._value())
Later.__iter__ = lambda self: iter(self._value())


class Call:
    """Sends a request when called, and waits for the answer; `later` does not wait."""

    def __call__(self, /, *positional, **named):
        return self._send(self._host.call, *positional, **named)

    def later(self, /, *positional, **named):
        return Later(self._host, *self._send(self._host.send, *positional, **named))


class Function(Call):
    """A tool. Arguments by name, by position, or as one dict."""

    def __init__(self, host, server, tool, name, parameters):
        self._host, self._full = host, f"{server}__{tool}"
        self._asked, self._parameters = f"{server}\n{tool}", parameters
        self.__name__ = self.__qualname__ = name
        self.__module__ = f"servers.{server}"

    @property
    def __doc__(self):
        """The definition of the tool, requested when it is read."""
        return self._host.ask("functions", self._asked)["definition"]

    def __get__(self, instance, owner=None):
        """Makes `help` show this as a function; binds nothing."""
        return self

    def _send(self, send, /, *positional, **named):
        arguments = arguments_of(self.__name__, self._parameters, positional, named)
        return send(wire.CALL, wire.text(self._full), wire.text(arguments), b"\0", name=self._full)

    def __repr__(self):
        return f"<function {self.__module__}.{self.__name__}>"


def arguments_of(name, parameters, positional, named):
    """JSON text of the arguments of a call. `parameters` holds for each: its name in
    programs, its name in the tool, and whether None omits it."""
    if len(positional) == 1 and isinstance(positional[0], dict):
        given = {**positional[0]}
    elif len(positional) > len(parameters):
        takes = {0: "no arguments", 1: "1 argument"}.get(len(parameters), f"{len(parameters)} arguments")
        raise ToolError(f"`{name}` takes {takes}, got {len(positional)} by position", "call.bad_argument",
                        "write `" + name + "(" + ", ".join(f"{each}=…" for each, *_ in parameters[:4]) + ")`")
    else:
        given = {parameters[index][1]: value for index, value in enumerate(positional)}
    tools_own = {written: own for written, own, _ in parameters}
    for key, value in named.items():
        key = tools_own.get(key, key)
        if key in given and positional and not isinstance(positional[0], dict):
            raise ToolError(f"`{name}` got `{key}` twice", "call.bad_argument", "pass it once")
        given[key] = value
    # `...` is the stubs' `OMIT`; None means the same where the tool takes no null.
    omitted = {own for _, own, never_null in parameters if never_null}
    given = {key: value for key, value in given.items()
             if value is not ... and not (value is None and key in omitted)}
    try:
        return encode(given, "arguments")
    except Unfit as error:
        raise ToolError(f"`{name}`: {error}", "call.bad_argument", error.hint) from None


class Server(types.ModuleType):
    """A server as a module. Requests its functions once."""

    def __init__(self, host, name):
        answer = host.ask("functions", name)
        super().__init__(f"servers.{name}")
        self.__path__ = []
        self.__dict__["_server"] = answer["server"]
        self.__dict__["_host"] = host
        functions = [(*each, []) if len(each) < 3 else each for each in answer["functions"]]
        for _, tool, parameters, *_ in functions:
            self.__dict__[tool] = Function(host, answer["server"], tool, tool, parameters)
        for spelling, tool, parameters, *_ in functions:
            self.__dict__[spelling] = Function(host, answer["server"], tool, spelling, parameters)
        self.__all__ = [spelling for spelling, *_ in functions]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # Another spelling or a new tool; otherwise the error suggests the nearest names.
        try:
            answer = self._host.ask("functions", f"{self._server}\n{name}")
        except ToolError as error:
            raise UnknownName.of(error) from None
        (_, tool, parameters), = answer["functions"]
        self.__dict__[name] = Function(self._host, self._server, tool, name, parameters)
        return self.__dict__[name]

    def __dir__(self):
        return self.__all__


# The names that programs can use without an import.
HELPERS = ("ToolError", "call_tool", "search_tools", "load_skill", "save_skill", "read_file",
           "write_file", "list_files", "pii", "commands", "fetch")


class Servers(types.ModuleType):
    """The package `servers`."""

    def __init__(self, host):
        super().__init__("servers")
        self.__path__ = []
        self.__dict__["_host"] = host

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # `from servers import ToolError`: no server has this name.
        if name in HELPERS:
            return getattr(builtins, name)
        try:
            return self._load(name)
        except ToolError as error:
            raise UnknownName.of(error) from None

    __getitem__ = __getattr__

    def _load(self, name):
        full = f"servers.{name}"
        if full not in sys.modules:
            sys.modules[full] = Server(self._host, name)
        self.__dict__[name] = sys.modules[full]
        return sys.modules[full]

    def __dir__(self):
        # As programs write them; any spelling that differs only in punctuation works.
        names = (re.sub(r"\W", "_", name) for name in self._host.ask("servers", ""))
        return [f"_{name}" if name[:1].isdigit() else name for name in names]

    def __iter__(self):
        return iter(self._host.ask("servers", ""))


class Finder:
    """`import servers.github`, `from servers.github import list_issues`."""

    def __init__(self, servers):
        self.servers = servers

    def find_spec(self, name, path=None, target=None):
        package, *inside = name.split(".")
        if package != "servers" or not inside:
            return None
        if len(inside) == 1:
            return _ModuleSpec(name, self, is_package=True)
        # Python asks here for names that `from servers.github import …` did not find.
        self.found(name, lambda: getattr(self.servers._load(inside[0]), inside[1]))
        return None

    def create_module(self, spec):
        return self.found(spec.name, lambda: self.servers._load(spec.name.partition(".")[2]))

    def found(self, name, load):
        """Returns the result of `load`, or raises an `ImportError` with its reason."""
        try:
            return load()
        except ToolError as error:
            failed = ImportError(str(error), name=name)
            failed.hint, failed.code, failed._answered = error.hint, error.code, error._answered
            raise failed from None

    def exec_module(self, module):
        pass


class Commands:
    """Commands of the host, each in a jail of its own. None unless configured."""

    def __init__(self, host):
        self.run = Run(host)


class Run(Call):
    """Runs a command: its name, a list of arguments, what it reads."""

    def __init__(self, host):
        self._host = host
        self.__name__ = self.__qualname__ = "run"

    def _send(self, send, name, args=(), input=None, timeout_ms=None):
        # As in JavaScript: one dict with both options.
        if isinstance(input, dict):
            return self._send(send, name, args, **input)
        if isinstance(args, (str, bytes)):
            raise ToolError("`commands.run` takes the arguments as a list", "command.denied",
                            'write `commands.run("name", ["first", "second"])`')
        given = [str(each) if isinstance(each, (int, float)) else each for each in args]
        request = {"args": given, "input": input, "timeout_ms": timeout_ms}
        request = {key: value for key, value in request.items() if value is not None}
        return send(wire.COMMAND, wire.text(str(name)), wire.text(encode(request, "arguments")))


# Maximum characters of a token, whatever the encoding, and maximum bytes of the tokens in
# one question, which holds 64 KiB.
LONGEST_TOKEN, MOST_TOKENS = 300, 60_000


class Pii:
    """What may be known of the values behind tokens of personal data, such as
    `[EMAIL_1]`. The values stay in the gateway."""

    def __init__(self, host):
        self._host = host

    def domain(self, token):
        """The domain of an email address, None for other types; of a list, a list."""
        return self._each("domain", token)

    def equals(self, a, b):
        """Whether two tokens stand for the same value."""
        return self._ask("equals", [self._text("equals", a), self._text("equals", b)])

    def mask(self, token):
        """The value with most of it hidden, `a***@e***.com`; of a list, a list."""
        return self._each("mask", token)

    def _each(self, what, given):
        given = given._value() if isinstance(given, Later) else given
        if isinstance(given, (str, bytes, dict)) or not hasattr(type(given), "__iter__"):
            return self._ask(what, [self._text(what, given)])[0]
        answers, part, size = [], [], 0
        for token in given:
            text = self._text(what, token)
            more = len(text.encode("utf-8", "replace")) + 1
            if part and size + more > MOST_TOKENS:
                answers += self._ask(what, part)
                part, size = [], 0
            part.append(text)
            size += more
        return answers + self._ask(what, part) if part else answers

    def _text(self, what, token):
        try:
            return encode(token[:LONGEST_TOKEN] if isinstance(token, str) else token, "token")
        except Unfit as error:
            raise ToolError(f"`pii.{what}`: {error}", "call.bad_argument", error.hint) from None

    def _ask(self, what, texts):
        body = f'{{"ask":"{what}","tokens":[{",".join(texts)}]}}'
        # If this is truncated, it is not valid JSON, and the gateway states the limits.
        return self._host.ask("pii", wire.cut(body, wire.MOST_NAME))


def later(function):
    """The variant of a function that does not wait, if there is one."""
    if isinstance(function, Call):
        return function.later
    own = getattr(function, "__later__", None)
    if own is not None:
        return own
    code = getattr(function, "__code__", None)
    if code is not None and RETURN in code.co_names:
        return _Deferred(function, code)
    return function


class _Deferred:
    """A function of the program that returns the value of a call: that call does not
    have to wait."""

    running = threading.local()

    def __init__(self, function, code):
        self.function, self.code = function, code

    def __call__(self, *positional, **named):
        before = getattr(self.running, "code", None)
        self.running.code = self.code
        try:
            return self.function(*positional, **named)
        finally:
            self.running.code = before


def may_be_later(function):
    """The function that `return f(x)` calls in such a function."""
    caller = sys._getframe(1).f_code
    return later(function) if getattr(_Deferred.running, "code", None) is caller else function


# Functions of asyncio: how many of their arguments are awaited, or "each" if the first
# one is a collection of awaitables.
_TAKEN = {"gather": None, "wait_for": 1, "create_task": 1, "ensure_future": 1, "shield": 1, "run": 1,
          "run_until_complete": 1, "wait": "each", "as_completed": "each"}


def taker(function):
    """The variant of an asyncio function that also accepts plain values."""
    taken = _TAKEN.get(getattr(function, "__name__", None), 0)
    if taken == 0 or not str(getattr(function, "__module__", "")).startswith("asyncio"):
        return function

    def taking(*positional, **named):
        if taken == "each" and positional:
            return function([awaited(each) for each in positional[0]], *positional[1:], **named)
        first = positional if taken is None else positional[:taken]
        return function(*map(awaited, first), *positional[len(first):], **named)
    return taking


async def _given(value):
    return value


def awaited(value):
    """Makes a value awaitable, so that `await` accepts plain values too."""
    return value if hasattr(type(value), "__await__") or is_coroutine(value) else _given(value)


def is_coroutine(value):
    """Whether this comes from an `async def` or from a generator marked as one."""
    if isinstance(value, types.CoroutineType):
        return True
    return isinstance(value, types.GeneratorType) and bool(value.gi_code.co_flags & ITERABLE_COROUTINE)


# `inspect.CO_ITERABLE_COROUTINE`, for the same reason.
ITERABLE_COROUTINE = 0x100
