"""Frames between this process and the gateway, on one descriptor.

In: the descriptor of a stream socket. Out: messages in the layout of the crate
`wire`: a length of four bytes, a kind and the fields of that kind; numbers are
little-endian. Nothing here depends on programs.
"""

import os
import select
import signal
import struct

# Kinds of messages: outgoing, then incoming.
HELLO, CALL, ASK, LOG, DONE, FAILED, FETCH, COMMAND = 1, 2, 3, 4, 5, 6, 7, 8
RUN, REPLY, CLOCK = 1, 2, 3

QUESTIONS = {"servers": 1, "functions": 2, "search": 3, "readDir": 4, "readFile": 5,
             "loadSkill": 6, "saveSkill": 7, "pii": 8}

_U32 = struct.Struct("<I")
_HEAD = struct.Struct("<IB")
_REPLY = struct.Struct("<BIB")
_U64 = struct.Struct("<Q")

# Faults of a program, and limits that are enforced here.
FAULTS = {"syntax": 1, "threw": 2, "bad_output": 3}
LIMITS = {"time": 1, "cpu": 2, "memory": 3, "stack": 4, "output": 5, "disk": 6}

# Maximum characters of a message and of a hint.
MOST_TEXT = 16000

# Maximum bytes of the name of a skill, and of a skill with all its text. The gateway
# ends the run if it receives more.
MOST_NAME, MOST_SKILL = 64 * 1024, 512 * 1024

# Maximum bytes of a frame that the gateway accepts.
MOST = 64 * 1024 * 1024


def u32(number):
    return _U32.pack(number)


def u64(number):
    return _U64.pack(number)


def text(value):
    # A lone surrogate is not valid UTF-8.
    data = value.encode("utf-8", "replace")
    return _U32.pack(len(data)) + data


def cut(value, most):
    """A text, truncated to this many bytes."""
    return value.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def optional(value):
    return b"\0" if value is None else b"\1" + text(value)


def failure(error):
    """Why a program failed, and where: its own fault, a limit, or the request that was
    answered with an error."""
    if error.get("limit"):
        cause = bytes((2, LIMITS[error["limit"]]))
    elif error.get("request"):
        cause = b"\3" + u32(error["request"])
    else:
        hint = error["hint"]
        cause = (bytes((1, FAULTS[error["fault"]])) + text(error["message"][:MOST_TEXT])
                 + optional(hint and hint[:MOST_TEXT]))
    return cause + u32(error["line"] or 0) + u32(error["column"] or 0)


def reply(number):
    """A frame as the gateway would send it: the call with this number returned the number."""
    body = bytes((REPLY,)) + u32(number) + b"\1" + text(str(number))
    return u32(len(body)) + body


class Gone(BaseException):
    """The gateway has closed the channel. A program cannot continue then, so
    `except Exception` does not catch it."""


class TooLong(Exception):
    """A message does not fit into a frame."""


class Reader:
    """Reads fields from the front of a frame."""

    __slots__ = ("body", "at")

    def __init__(self, body, at=0):
        self.body, self.at = body, at

    def u8(self):
        self.at += 1
        return self.body[self.at - 1]

    def u32(self):
        self.at += 4
        return _U32.unpack_from(self.body, self.at - 4)[0]

    def u64(self):
        self.at += 8
        return _U64.unpack_from(self.body, self.at - 8)[0]

    def text(self):
        length = self.u32()
        self.at += length
        return str(self.body[self.at - length:self.at], "utf-8")

    def optional(self):
        return self.text() if self.u8() else None

    def reply(self):
        """The number of a reply, whether it succeeded, and its text if it did."""
        body = self.body
        kind, number, ok = _REPLY.unpack_from(body, self.at)
        if kind != REPLY:
            raise Gone
        self.at += 6
        return number, ok, self.text() if ok else None

    def failure(self):
        code, message, line, column = self.text(), self.text(), self.u32(), self.u32()
        return {"code": code, "message": message, "line": line or None,
                "column": column or None, "hint": self.optional()}


def clock(frame):
    """Whether a frame is about the clock. If so, sets the clock to the milliseconds
    left, or stops it."""
    if frame.body[frame.at] != CLOCK:
        return False
    frame.at += 1
    signal.setitimer(signal.ITIMER_REAL, frame.u32() / 1000)
    return True


class Channel:
    """Both directions. `next` blocks until a whole frame has arrived; `come` returns
    the frames that have already arrived."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.received = bytearray()
        self.left = False
        self.readable = select.poll()
        self.readable.register(descriptor, select.POLLIN)

    def leave(self):
        """For a fork of this process: frames of two processes would get mixed up."""
        self.left = True
        os.close(self.descriptor)

    def send(self, kind, *fields):
        if self.left:
            # What a fork prints is lost. If it calls a tool or reports an outcome, it exits.
            if kind == LOG:
                return
            os._exit(0)
        body = b"".join(fields)
        if len(body) >= MOST:
            raise TooLong(len(body))
        self.send_frame(_HEAD.pack(len(body) + 1, kind) + body)

    def send_frame(self, frame):
        try:
            sent = os.write(self.descriptor, frame)
            while sent < len(frame):
                sent += os.write(self.descriptor, memoryview(frame)[sent:])
        except OSError:
            raise Gone from None

    def next(self):
        """Waits for the next frame that is not about the clock."""
        frame = self._next()
        while clock(frame):
            frame = self._next()
        return frame

    def _next(self):
        if not self.received:
            # A blocking read would wake up needlessly whenever the gateway reads a
            # message from the socket.
            self.readable.poll()
            self._receive()
            # Nearly always it arrives alone and complete.
            data = self.received
            if len(data) > 4 and _U32.unpack_from(data)[0] == len(data) - 4:
                self.received = bytearray()
                return Reader(data, 4)
        while True:
            frame = self._take()
            if frame is not None:
                return frame
            self._receive()

    def come(self):
        """The frames that have arrived. Call this when the descriptor is readable: it
        does not wait for the first byte then, only for the rest of a frame."""
        frames = []
        frame = self._next()
        while frame is not None:
            if not clock(frame):
                frames.append(frame)
            frame = self._take()
        return frames

    def _take(self):
        have = len(self.received)
        if have < 4:
            return None
        end = 4 + _U32.unpack_from(self.received)[0]
        if have < end:
            return None
        body = bytes(memoryview(self.received)[4:end])
        del self.received[:end]
        return Reader(body)

    def _receive(self):
        have = len(self.received)
        # A large answer is read in large chunks.
        missing = 4 + _U32.unpack_from(self.received)[0] - have if have >= 4 else 0
        try:
            data = os.read(self.descriptor, max(65536, min(missing, 4 * 1024 * 1024)))
        except OSError:
            raise Gone from None
        if not data:
            raise Gone
        self.received += data
