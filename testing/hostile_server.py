#!/usr/bin/env python3
"""An MCP server that behaves badly on request.

In:  JSON-RPC over stdio, or over Streamable HTTP with `--http`.
Out: answers, or whatever the called tool or the chosen option does instead.

Each bad behaviour is one tool or one option, and everything else stays correct,
so that a test sees exactly the fault it asked for. Standard library only, Python
3.9 or newer. Every call runs in its own thread, so calls are answered in the
order in which they finish.

Protocol eras: by default the handshake versions (`initialize`); with
`--no-initialize` only 2026-07-28 (`server/discover`, then requests which carry
their own `_meta`).
"""

import argparse
import base64
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OLD_VERSION = "2024-11-05"
HANDSHAKE_VERSIONS = [OLD_VERSION, "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN_VERSION = "2026-07-28"

META = "io.modelcontextprotocol/"
REQUIRED_META = [META + "protocolVersion", META + "clientInfo", META + "clientCapabilities"]
SUBSCRIPTION = META + "subscriptionId"

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
UNSUPPORTED_PROTOCOL_VERSION = -32022

# How often a waiting HTTP call looks whether its client has gone. By trial:
# short enough for a test, long enough to cost nothing.
DISCONNECT_POLL_SECONDS = 0.05


def main():
    options = parse_options()
    if options.start_log:
        with open(options.start_log, "a") as log:
            log.write(f"{os.getpid()}\n")
    if options.die_at_start is not None:
        print("dying at start, as asked", file=sys.stderr)
        sys.exit(options.die_at_start)
    if options.ignore_eof:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if options.hang_at_start:
        sleep_for_ever()
    server = Server(options)
    if options.http is not None:
        serve_http(server, options)
    else:
        serve_stdio(server, options)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--name", default="hostile", help="name in serverInfo")
    add("--page-size", type=int, metavar="N", help="tools/list in pages of N")
    add(
        "--endless-pages",
        nargs="?",
        const="new",
        choices=["new", "same"],
        help="every page of tools/list names a next one, by a new cursor (default) or by the same",
    )
    add("--noise", action="store_true", help="banner lines on stdout before the handshake")
    add("--no-initialize", action="store_true", help="protocol 2026-07-28 only, stateless")
    add("--old", action="store_true", help=f"always answer protocol {OLD_VERSION}")
    add("--die-at-start", type=int, metavar="CODE")
    add("--hang-at-start", action="store_true", help="never read and never answer")
    add("--slow-start", type=int, metavar="MS", default=0, help="wait before the first answer")
    add("--start-log", metavar="FILE", help="append the pid at each start, to count restarts")
    add("--ignore-eof", action="store_true", help="outlive the end of stdin, SIGTERM and SIGINT")
    add("--duplicate-tools", action="store_true", help="list `echo` twice, with another schema")
    add("--many-tools", type=int, metavar="N", default=0, help="add tools `many_00001` and up")
    add("--record", metavar="FILE", help="append each line that arrives on stdin, as it arrived")
    add("--mirror", action="store_true", help="add tools that take anything and give it back")
    add("--changing", action="store_true", help="add `forecast`, and `change_tools`, which changes it")
    add("--http", type=int, metavar="PORT", help="serve on 127.0.0.1; 0 picks, `PORT n` on stderr")
    add("--require-header", metavar="K=V", help="with --http: answer 401 without this header")
    options = parser.parse_args()
    if options.require_header is not None and "=" not in options.require_header:
        parser.error("--require-header needs `name=value`")
    return options


def sleep_for_ever():
    while True:
        time.sleep(3600)


# ---------------------------------------------------------------- the protocol


class RpcError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class NoAnswer(Exception):
    """The call ends without any response."""


class RawResponse(Exception):
    """The call is answered with this text in place of a well-formed response."""

    def __init__(self, text):
        super().__init__("raw response")
        self.text = text


class Server:
    """What both transports share: methods, tools, and the record of cancelled calls."""

    def __init__(self, options):
        self.options = options
        self.cancelled = []
        self.subscriptions = []
        self.grown = 0
        self.version = 1
        self.lock = threading.Lock()
        self.first_answer = True

    def answer(self, message, channel):
        """Handles one request; gives the text of the response, or None for silence."""
        request_id = message["id"]
        try:
            result = self.dispatch(message, channel)
        except RpcError as failure:
            return encode({"jsonrpc": "2.0", "id": request_id, "error": failure.error})
        except RawResponse as raw:
            return raw.text
        except NoAnswer:
            return None
        return encode({"jsonrpc": "2.0", "id": request_id, "result": self.stamp(message, result)})

    def dispatch(self, message, channel):
        method = message["method"]
        params = message.get("params") or {}
        self.wait_before_first_answer()
        if self.options.no_initialize:
            self.check_request_meta(params)
        if method == "initialize" and not self.options.no_initialize:
            return self.initialize(params)
        if method == "server/discover" and self.options.no_initialize:
            return self.discover()
        if method == "ping" and not self.options.no_initialize:
            return {}
        if method == "subscriptions/listen" and self.options.no_initialize:
            return self.listen(message, params, channel)
        if method == "tools/list":
            return self.list_tools(params)
        if method == "tools/call":
            return self.call_tool(message, params, channel)
        raise RpcError(METHOD_NOT_FOUND, method)

    def wait_before_first_answer(self):
        with self.lock:
            if self.first_answer:
                time.sleep(self.options.slow_start / 1000)
                self.first_answer = False

    def check_request_meta(self, params):
        meta = params.get("_meta") or {}
        missing = [key for key in REQUIRED_META if key not in meta]
        if missing:
            raise RpcError(
                INVALID_PARAMS,
                f"request _meta is missing or has malformed required fields: {', '.join(missing)}",
            )
        requested = meta[META + "protocolVersion"]
        if requested != MODERN_VERSION:
            raise RpcError(
                UNSUPPORTED_PROTOCOL_VERSION,
                "Unsupported protocol version",
                {"supported": [MODERN_VERSION], "requested": requested},
            )

    def initialize(self, params):
        version = params.get("protocolVersion")
        if self.options.old:
            version = OLD_VERSION
        elif version not in HANDSHAKE_VERSIONS:
            version = HANDSHAKE_VERSIONS[-1]
        return {
            "protocolVersion": version,
            "capabilities": CAPABILITIES,
            "serverInfo": self.server_info(),
            "instructions": "Misbehaves on request.",
        }

    def discover(self):
        return {
            "supportedVersions": [MODERN_VERSION],
            "capabilities": CAPABILITIES,
            "instructions": "Misbehaves on request.",
            "ttlMs": 0,
            "cacheScope": "private",
        }

    def server_info(self):
        return {"name": self.options.name, "version": "1.0.0"}

    def stamp(self, message, result):
        """Adds what 2026-07-28 wants on every result and older clients do not know."""
        if not self.options.no_initialize or not isinstance(result, dict):
            return result
        if message["method"] == "tools/list":
            result = {"ttlMs": 0, "cacheScope": "private", **result}
        meta = {META + "serverInfo": self.server_info(), **result.get("_meta", {})}
        return {"resultType": "complete", **result, "_meta": meta}

    def listen(self, message, params, channel):
        if not channel.can_notify:
            raise RpcError(METHOD_NOT_FOUND, "subscriptions/listen")
        wanted = bool((params.get("notifications") or {}).get("toolsListChanged"))
        with self.lock:
            self.subscriptions.append((message["id"], wanted))
        channel.notify(
            "notifications/subscriptions/acknowledged",
            {
                "_meta": {SUBSCRIPTION: message["id"]},
                "notifications": {"toolsListChanged": True} if wanted else {},
            },
        )
        # The response of this request would be the end of the subscription.
        raise NoAnswer

    def notification(self, message):
        if message.get("method") == "notifications/cancelled":
            request_id = (message.get("params") or {}).get("requestId")
            with self.lock:
                self.cancelled.append(request_id)
                self.subscriptions = [one for one in self.subscriptions if one[0] != request_id]

    def tools_changed(self, channel):
        if not self.options.no_initialize:
            channel.notify("notifications/tools/list_changed", None)
            return
        with self.lock:
            listeners = [request_id for request_id, wanted in self.subscriptions if wanted]
        for request_id in listeners:
            channel.notify("notifications/tools/list_changed", {"_meta": {SUBSCRIPTION: request_id}})

    def list_tools(self, params):
        tools = self.all_tools()
        size = self.options.page_size or len(tools)
        cursor = params.get("cursor")
        if self.options.endless_pages:
            page = 0 if cursor in (None, "again") else int(cursor)
            following = "again" if self.options.endless_pages == "same" else str(page + 1)
            return {"tools": tools[:size], "nextCursor": following}
        start = 0 if cursor is None else int(cursor)
        result = {"tools": tools[start : start + size]}
        if start + size < len(tools):
            result["nextCursor"] = str(start + size)
        return result

    def all_tools(self):
        tools = [describe(entry) for entry in TOOLS.values()]
        if self.options.duplicate_tools:
            tools.append({"name": "echo", "description": "Another echo", "inputSchema": NO_ARGUMENTS})
        if self.options.mirror:
            tools += [describe(entry) for entry in MIRRORS.values()]
        if self.options.changing:
            with self.lock:
                version = self.version
            tools.append({**describe(CHANGING["forecast"]), "description": f"Forecast, version {version}"})
            tools.append(describe(CHANGING["change_tools"]))
        for number in range(1, self.options.many_tools + 1):
            tools.append(
                {
                    "name": f"many_{number:05d}",
                    "description": f"Tool number {number} of many",
                    "inputSchema": object_schema({"value": {"type": "string"}}),
                }
            )
        with self.lock:
            grown = self.grown
        for number in range(1, grown + 1):
            tools.append(
                {"name": f"grown_{number}", "description": "Added at run time", "inputSchema": NO_ARGUMENTS}
            )
        return tools

    def call_tool(self, message, params, channel):
        name = params.get("name", "")
        arguments = params.get("arguments") or {}
        if name in TOOLS:
            check_arguments(TOOLS[name]["inputSchema"], arguments)
            return TOOLS[name]["run"](Call(self, message, params, channel), arguments)
        if self.options.mirror and name in MIRRORS:
            return MIRRORS[name]["run"](arguments)
        if self.options.changing and name in CHANGING:
            return CHANGING[name]["run"](Call(self, message, params, channel))
        if any(tool["name"] == name for tool in self.all_tools()):
            return text_result(f"{name}: {json.dumps(arguments, sort_keys=True)}")
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")


class Call:
    """One running tools/call: what a tool may use besides its arguments."""

    def __init__(self, server, message, params, channel):
        self.server = server
        self.id = message["id"]
        self.channel = channel
        self.progress_token = (params.get("_meta") or {}).get("progressToken")

    def progress(self, done, total):
        if self.progress_token is not None:
            self.channel.notify(
                "notifications/progress",
                {
                    "progressToken": self.progress_token,
                    "progress": done,
                    "total": total,
                    "message": f"step {done} of {total}",
                },
            )


CAPABILITIES = {"tools": {"listChanged": True}}


def encode(message):
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


JSON_TYPES = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
}


def check_arguments(schema, arguments):
    """As much of JSON Schema as the tools below use."""
    for name in schema.get("required", []):
        if name not in arguments:
            raise RpcError(INVALID_PARAMS, f"missing argument `{name}`")
    for name, value in arguments.items():
        expected = schema["properties"].get(name)
        if expected is None:
            raise RpcError(INVALID_PARAMS, f"unknown argument `{name}`")
        if not JSON_TYPES[expected["type"]](value):
            raise RpcError(INVALID_PARAMS, f"argument `{name}` is not of type `{expected['type']}`")


# ---------------------------------------------------------------- the tools

TOOLS = {}


def tool(name, description, properties=None, required=None, **more):
    """Declares a tool. All properties are required unless `required` says otherwise."""

    def declare(run):
        TOOLS[name] = {
            "name": name,
            "description": description,
            "inputSchema": object_schema(properties or {}, required),
            "run": run,
            **more,
        }
        return run

    return declare


def describe(entry):
    return {key: value for key, value in entry.items() if key != "run"}


def object_schema(properties, required=None):
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    names = list(properties) if required is None else required
    if names:
        schema["required"] = names
    return schema


NO_ARGUMENTS = object_schema({})
TEXT = {"type": "string"}
NUMBER = {"type": "number"}
COUNT = {"type": "integer", "minimum": 0}


def text_result(text):
    return {"content": [{"type": "text", "text": text}]}


@tool("echo", "Gives the text back", {"text": TEXT}, annotations={"readOnlyHint": True})
def echo(call, arguments):
    return text_result(arguments["text"])


@tool("add", "Adds two numbers", {"a": NUMBER, "b": NUMBER}, annotations={"readOnlyHint": True})
def add(call, arguments):
    return text_result(json.dumps(arguments["a"] + arguments["b"]))


@tool("fail", "Answers with isError", {"message": TEXT})
def fail(call, arguments):
    return {**text_result(arguments["message"]), "isError": True}


@tool("rpc_error", "Answers with a JSON-RPC error")
def rpc_error(call, arguments):
    raise RpcError(-32050, "refused on request", {"reason": "rpc_error", "retry": False})


@tool("garbage", "Prints lines that are not JSON-RPC, then answers")
def garbage(call, arguments):
    call.channel.raw("this is not JSON\n")
    call.channel.raw('{"level":"info","msg":"a JSON log line"}\n')
    call.channel.raw('{"jsonrpc":"2.0","id":\n')
    call.channel.raw("[1,2,3]\n\n")
    return text_result("after the garbage")


@tool("die", "Ends the server in the middle of the call", {"code": {"type": "integer"}}, required=[])
def die(call, arguments):
    print("dying in mid-call, as asked", file=sys.stderr, flush=True)
    os._exit(arguments.get("code", 1))


@tool("never", "Never answers; a cancellation is recorded and otherwise ignored")
def never(call, arguments):
    call.channel.wait_for_disconnect(call)
    raise NoAnswer


@tool("cancel_log", "Ids of the requests that were cancelled")
def cancel_log(call, arguments):
    with call.server.lock:
        ids = list(call.server.cancelled)
    return {**text_result(json.dumps(ids)), "structuredContent": {"ids": ids}}


@tool("slow", "Answers after some milliseconds", {"ms": COUNT, "text": TEXT}, required=["ms"])
def slow(call, arguments):
    time.sleep(arguments["ms"] / 1000)
    return text_result(arguments.get("text", "slow"))


@tool("progress", "Reports progress, then answers", {"steps": COUNT, "ms": COUNT}, required=["steps"])
def progress(call, arguments):
    for step in range(1, arguments["steps"] + 1):
        time.sleep(arguments.get("ms", 0) / 1000)
        call.progress(step, arguments["steps"])
    return text_result(f"{arguments['steps']} steps")


@tool("flood_stderr", "Writes bytes to stderr, then answers", {"bytes": COUNT})
def flood_stderr(call, arguments):
    line = b"e" * 79 + b"\n"
    left = arguments["bytes"]
    while left > 0:
        left -= os.write(2, line[: min(left, len(line))])
    return text_result("flooded stderr")


@tool("flood_stdout", "One line of so many bytes, then answers; 0 is a line without end", {"bytes": COUNT})
def flood_stdout(call, arguments):
    call.channel.flood(arguments["bytes"])
    return text_result("flooded stdout")


@tool("huge", "A text result of so many bytes", {"bytes": COUNT})
def huge(call, arguments):
    pattern = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ\n"
    size = arguments["bytes"]
    return text_result((pattern * (size // len(pattern) + 1))[:size])


@tool("deep", "A result nested so many levels deep", {"depth": COUNT})
def deep(call, arguments):
    # By hand, since the JSON encoder gives up long before a useful depth.
    depth = arguments["depth"]
    nested = '{"d":' * depth + "{}" + "}" * depth
    result = f'{{"content":[{{"type":"text","text":"deep"}}],"structuredContent":{nested}}}'
    raise RawResponse(f'{{"jsonrpc":"2.0","id":{json.dumps(call.id)},"result":{result}}}')


# One grey pixel, and one sample of silence.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)
WAV = (
    b"RIFF\x25\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"
    b"\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x01\x00\x00\x00\x80"
)


@tool("media", "One block of each content kind, with annotations and _meta")
def media(call, arguments):
    return {
        "content": [
            {
                "type": "text",
                "text": "a text",
                "annotations": {"audience": ["user", "assistant"], "priority": 0.5},
                "_meta": {"example.com/block": "text"},
            },
            {
                "type": "image",
                "data": base64_text(PNG),
                "mimeType": "image/png",
                "annotations": {"audience": ["user"], "priority": 1.0},
                "_meta": {"example.com/block": "image"},
            },
            {
                "type": "audio",
                "data": base64_text(WAV),
                "mimeType": "audio/wav",
                "annotations": {"audience": ["assistant"]},
                "_meta": {"example.com/block": "audio"},
            },
            {
                "type": "resource_link",
                "uri": "file:///example/report.pdf",
                "name": "report.pdf",
                "title": "The report",
                "description": "A link to a report",
                "mimeType": "application/pdf",
                "size": 12345,
                "annotations": {"lastModified": "2026-01-02T03:04:05Z", "priority": 0.0},
                "_meta": {"example.com/block": "resource_link"},
            },
            {
                "type": "resource",
                "resource": {
                    "uri": "file:///example/notes.txt",
                    "mimeType": "text/plain",
                    "text": "an embedded text",
                    "_meta": {"example.com/resource": "text"},
                },
                "annotations": {"audience": ["assistant"], "priority": 0.25},
                "_meta": {"example.com/block": "resource text"},
            },
            {
                "type": "resource",
                "resource": {
                    "uri": "file:///example/data.bin",
                    "mimeType": "application/octet-stream",
                    "blob": base64_text(bytes(range(256))),
                    "_meta": {"example.com/resource": "blob"},
                },
                "_meta": {"example.com/block": "resource blob"},
            },
        ],
        "_meta": {"example.com/result": {"nested": [1, 2, 3]}},
    }


def base64_text(data):
    return base64.b64encode(data).decode("ascii")


STRUCTURED = {"city": "Oslo", "degrees": -3.5, "days": ["mon", "tue"], "station": None}


@tool(
    "structured",
    "Structured content, and the same as text",
    outputSchema={
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "degrees": {"type": "number"},
            "days": {"type": "array", "items": {"type": "string"}},
            "station": {"type": ["string", "null"]},
        },
        "required": ["city", "degrees"],
    },
)
def structured(call, arguments):
    return {**text_result(json.dumps(STRUCTURED)), "structuredContent": STRUCTURED}


@tool("structured_null", "Structured content that is null")
def structured_null(call, arguments):
    return {**text_result("null"), "structuredContent": None}


@tool("empty", "No content at all")
def empty(call, arguments):
    return {"content": []}


BAD_RESULTS = {
    "object": {"unexpected": True},
    "content_text": {"content": "not a list"},
    "unknown_block": {"content": [{"type": "hologram", "data": 1}]},
    "text": "not an object",
    "list": [1, 2, 3],
    "null": None,
}


@tool(
    "bad_result",
    "A result that is not a CallToolResult; kinds: " + ", ".join(BAD_RESULTS) + ", neither",
    {"kind": TEXT},
    required=[],
)
def bad_result(call, arguments):
    kind = arguments.get("kind", "object")
    if kind == "neither":
        raise RawResponse(encode({"jsonrpc": "2.0", "id": call.id}))
    if kind not in BAD_RESULTS:
        raise RpcError(INVALID_PARAMS, f"unknown kind `{kind}`")
    raise RawResponse(encode({"jsonrpc": "2.0", "id": call.id, "result": BAD_RESULTS[kind]}))


@tool("wrong_id", "Answers under an id that nobody asked with, then correctly")
def wrong_id(call, arguments):
    stranger = {"jsonrpc": "2.0", "id": 987654321, "result": text_result("for somebody else")}
    call.channel.raw(encode(stranger) + "\n")
    return text_result("for you")


@tool("grow_tools", "Adds a tool and says so by notifications/tools/list_changed")
def grow_tools(call, arguments):
    with call.server.lock:
        call.server.grown += 1
        name = f"grown_{call.server.grown}"
    call.server.tools_changed(call.channel)
    return text_result(name)


@tool("env_dump", "Names of the environment variables, without values")
def env_dump(call, arguments):
    return text_result(json.dumps(sorted(os.environ)))


@tool("pid", "The server's process id")
def pid(call, arguments):
    return text_result(str(os.getpid()))


# Runs in an intermediate process that ends at once: the sleeper is then nobody's
# child, in a session and a process group of its own.
SPAWN = """
import subprocess, sys
sleeper = subprocess.Popen(["sleep", "1000"], start_new_session=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=None if sys.argv[1] == "keep" else subprocess.DEVNULL)
print(sleeper.pid)
"""


@tool(
    "spawn_grandchild",
    "Starts `sleep 1000` in its own session and gives its pid",
    {"keep_stderr": {"type": "boolean"}},
    required=[],
)
def spawn_grandchild(call, arguments):
    stderr = "keep" if arguments.get("keep_stderr") else "close"
    command = [sys.executable, "-c", SPAWN, stderr]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    return text_result(done.stdout.strip())


def hint(name, description, **annotations):
    """A harmless tool that is there for its annotations and its name."""

    @tool(name, description, {"target": TEXT}, required=[], annotations=annotations)
    def run(call, arguments):
        return text_result(f"{name} {arguments.get('target', '')}".strip())


hint("delete_everything", "Says that it destroys", readOnlyHint=False, destructiveHint=True)
hint("read_quietly", "Says that it only reads", title="Quiet reader", readOnlyHint=True, openWorldHint=False)
hint("set_value", "Says that it can be repeated", readOnlyHint=False, destructiveHint=False, idempotentHint=True)
hint("ask_the_world", "Says that it reaches outside", openWorldHint=True)
hint("delete", "Its name is a reserved word", destructiveHint=True)
hint("odd-name.with.dots", "Its name is not an identifier")


ANYTHING = {"type": "object"}

MIRRORS = {
    "mirror": {
        "name": "mirror",
        "description": "Gives its arguments back as structured content",
        "inputSchema": ANYTHING,
        "run": lambda arguments: {**text_result("mirrored"), "structuredContent": arguments},
    },
    "mirror_text": {
        "name": "mirror_text",
        "description": "Gives its arguments back as JSON text",
        "inputSchema": ANYTHING,
        "run": lambda arguments: text_result(encode(arguments)),
    },
}


def forecast(call):
    if call.server.version == 1:
        return text_result(encode({"city": "Oslo", "degrees": -3.5}))
    return text_result(encode({"town": "Bergen", "rain": True}))


def change_tools(call):
    with call.server.lock:
        call.server.version += 1
    call.server.tools_changed(call.channel)
    return text_result("changed")


CHANGING = {
    "forecast": {"name": "forecast", "inputSchema": NO_ARGUMENTS, "run": forecast},
    "change_tools": {
        "name": "change_tools",
        "description": "Changes `forecast` and says so by notifications/tools/list_changed",
        "inputSchema": NO_ARGUMENTS,
        "run": change_tools,
    },
}


# ---------------------------------------------------------------- stdio


class StdioChannel:
    """stdout, one whole line at a time."""

    can_notify = True

    def __init__(self):
        self.lock = threading.Lock()

    def raw(self, text):
        with self.lock:
            write_all(1, text.encode())

    def notify(self, method, params):
        self.raw(encode(notification(method, params)) + "\n")

    def flood(self, size):
        # The lock is held: another answer in the middle would end the line.
        block = b"x" * 65536
        with self.lock:
            if size == 0:
                while True:
                    write_all(1, block)
            for start in range(0, size, len(block)):
                write_all(1, block[: min(len(block), size - start)])
            write_all(1, b"\n")

    def wait_for_disconnect(self, call):
        """On stdio a cancellation is a notification, so there is nothing to wait for."""


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BrokenPipeError:
            # Nobody reads any more. The end of stdin decides what follows.
            sys.exit()


def notification(method, params):
    message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def serve_stdio(server, options):
    channel = StdioChannel()
    if options.noise:
        channel.raw("Welcome to the hostile server!\n")
        channel.raw('{"level":"info","msg":"listening on stdio"}\n')
        channel.raw("\x1b[32mready\x1b[0m\n\n")
    for line in sys.stdin.buffer:
        if options.record:
            with open(options.record, "ab") as record:
                record.write(line)
        try:
            message = json.loads(line)
        except ValueError:
            error = {"code": -32700, "message": "Parse error"}
            channel.raw(encode({"jsonrpc": "2.0", "id": None, "error": error}) + "\n")
            continue
        if "method" not in message:
            continue
        if "id" not in message:
            server.notification(message)
            continue
        threading.Thread(target=answer_on_stdio, args=(server, message, channel), daemon=True).start()
    if options.ignore_eof:
        sleep_for_ever()
    # Not sys.exit: a thread in the middle of a write must not hold the process.
    os._exit(0)


def answer_on_stdio(server, message, channel):
    response = server.answer(message, channel)
    if response is not None:
        channel.raw(response + "\n")


# ---------------------------------------------------------------- Streamable HTTP


class HttpChannel:
    """The body of one HTTP response. Plain JSON, so there is no way to notify."""

    can_notify = False

    def __init__(self, connection):
        self.connection = connection
        self.before = b""

    def raw(self, text):
        self.before += text.encode()

    def notify(self, method, params):
        pass

    def flood(self, size):
        # A body needs a length here; a line without end is 1 GiB.
        self.before += b"x" * (size or 2**30) + b"\n"

    def wait_for_disconnect(self, call):
        """Over HTTP, closing the connection is a way to cancel."""
        while not self.is_closed():
            time.sleep(DISCONNECT_POLL_SECONDS)
        with call.server.lock:
            call.server.cancelled.append(call.id)

    def is_closed(self):
        readable, _, _ = select.select([self.connection], [], [], 0)
        if not readable:
            return False
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True


def serve_http(server, options):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if not self.is_allowed():
                self.reply(401, b'{"error":"unauthorized"}', {"WWW-Authenticate": "Bearer"})
                return
            try:
                message = json.loads(body)
            except ValueError:
                self.reply(400, b'{"error":"not JSON"}')
                return
            if "id" not in message or "method" not in message:
                server.notification(message)
                self.reply(202, b"")
                return
            channel = HttpChannel(self.connection)
            response = server.answer(message, channel)
            if response is None:
                self.close_connection = True
                return
            self.reply(200, channel.before + response.encode())

        def do_GET(self):
            self.reply(405, b"")

        do_DELETE = do_GET

        def is_allowed(self):
            if options.require_header is None:
                return True
            name, value = options.require_header.split("=", 1)
            return self.headers.get(name) == value

        def reply(self, status, body, headers=None):
            try:
                self.send_response(status)
                if body:
                    self.send_header("Content-Type", "application/json")
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def log_message(self, format, *arguments):
            pass

    class HttpServer(ThreadingHTTPServer):
        daemon_threads = True
        # A test may open many connections at once; the default queue is 5.
        request_queue_size = 128

    listener = HttpServer(("127.0.0.1", options.http), Handler)
    print(f"PORT {listener.server_address[1]}", file=sys.stderr, flush=True)
    listener.serve_forever()


if __name__ == "__main__":
    main()
