#!/usr/bin/env python3
"""A real MCP client (the `mcp` package) driven by a list of steps.

usage: python_client.py [--mode auto|legacy|2026-07-28] [--timeout S] [--list] [--answer TEXT]
                        -- COMMAND [ARG...]

In:  a server's command line, and on stdin a JSON list of steps, done in order:

  {"info": true}                         what the handshake found
  {"list": true}                         all tools, all pages
  {"call": NAME, "arguments": {...}}     one call; optional "timeout_ms"
  {"call": ..., "cancel_after_ms": N}    the same, cancelled by the client
  {"cancel_after_ms": N}                 alone: applies to the next call
  {"parallel": [STEP, ...]}              at the same time
  {"sleep_ms": N}

Out: one JSON object per line: first `{"connected": {...}}`, then one per step with
`ms` (how long it took) and one of `info`, `tools`, `result`, `error`, `cancelled`,
`parallel` or `slept`. A call also has `progress`, the notifications received for it. Last
comes `{"notifications": [...]}`, the methods of all others, in order of arrival.
A connection that fails or breaks ends the output with `{"connect_error": TEXT}`.
With `--answer` the client can show forms to its user, who answers each of them: with
`decline`, `cancel`, `never` (no answer comes), or by choosing TEXT. A step with
`"answers": [TEXT, ...]` has answers of its own, of which the last one repeats, and its
outcome has `asked`. What the user was asked in all is `{"asked": [...]}` before the
notifications.
The server's stderr goes to ours. Exit code 0 if every step got an outcome, errors
included; 1 if the connection failed or was lost; 2 for a wrong use of this script.
"""

import argparse
import json
import os
import sys
import time
from functools import partial

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult
from pydantic import ValidationError

CONNECTION_CLOSED = -32000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one request")
    parser.add_argument("--list", action="store_true", help="only list the tools; stdin is not read")
    parser.add_argument("--answer", help="what the user says to every form")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    try:
        steps = [{"list": True}] if arguments.list else read_steps(sys.stdin.read())
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return anyio.run(partial(run, arguments, steps))


def read_steps(text):
    """Folds a lone `cancel_after_ms` into the call that follows it."""
    steps, pending = [], {}
    for step in json.loads(text):
        if set(step) == {"cancel_after_ms"}:
            pending = step
        elif "call" in step:
            steps.append({**pending, **step})
            pending = {}
        elif any(kind in step for kind in ("info", "list", "parallel", "sleep_ms")):
            steps.append(step)
        else:
            raise ValueError(f"unknown step `{json.dumps(step)}`")
    return steps


async def run(arguments, steps):
    notifications = []

    async def on_message(message):
        method = getattr(message, "method", None)
        # Progress is reported with its call.
        if method is not None and method != "notifications/progress":
            notifications.append(method)

    asked = []

    answers = []

    async def on_form(_, form):
        asked.append(plain(form))
        answer = arguments.answer
        if answers:
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "never":
            await anyio.sleep_forever()
        if answer in ("decline", "cancel"):
            return ElicitResult(action=answer)
        return ElicitResult(action="accept", content={"decision": answer})

    command, *rest = arguments.command
    # The package hands on only a few variables by itself; a test sets its own.
    server = StdioServerParameters(command=command, args=rest, env=dict(os.environ))
    try:
        async with Client(
            server,
            mode=arguments.mode,
            read_timeout_seconds=arguments.timeout,
            message_handler=on_message,
            elicitation_callback=on_form if arguments.answer else None,
            cache=None,  # every list must reach the server
        ) as client:
            emit({"connected": info(client)})
            for step in steps:
                before = len(asked)
                answers[:] = step.pop("answers", [])
                outcome = await timed(client, step)
                if answers:
                    outcome["asked"] = asked[before:]
                emit(outcome)
                if outcome.get("error", {}).get("code") == CONNECTION_CLOSED:
                    return 1
            if arguments.answer:
                emit({"asked": asked})
            emit({"notifications": notifications})
    except Exception as error:
        emit({"connect_error": " / ".join(describe_chain(error))})
        return 1
    return 0


async def timed(client, step):
    start = time.monotonic()
    outcome = await perform(client, step)
    return {**outcome, "ms": round((time.monotonic() - start) * 1000, 1)}


async def perform(client, step):
    if "call" in step:
        return await call(client, step)
    if "list" in step:
        return await guarded(list_all(client))
    if "info" in step:
        return {"info": info(client)}
    if "sleep_ms" in step:
        await anyio.sleep(step["sleep_ms"] / 1000)
        return {"slept": True}
    return {"parallel": await in_parallel(client, step["parallel"])}


async def in_parallel(client, steps):
    outcomes = [None] * len(steps)

    async def one(index, step):
        outcomes[index] = await timed(client, step)

    async with anyio.create_task_group() as group:
        for index, step in enumerate(steps):
            group.start_soon(one, index, step)
    return outcomes


async def call(client, step):
    progress = []

    async def on_progress(done, total, message):
        progress.append({"progress": done, "total": total, "message": message})

    async def request():
        result = await client.call_tool(
            step["call"],
            step.get("arguments", {}),
            read_timeout_seconds=step["timeout_ms"] / 1000 if "timeout_ms" in step else None,
            progress_callback=on_progress,
        )
        return {"result": plain(result)}

    outcome = {"cancelled": True}
    limit = step["cancel_after_ms"] / 1000 if "cancel_after_ms" in step else None
    # Leaving the scope makes the package send `notifications/cancelled`.
    with anyio.move_on_after(limit):
        outcome = await guarded(request())
    return {"call": step["call"], **outcome, "progress": progress}


async def list_all(client):
    tools, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += [plain(tool) for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            return {"tools": tools}


async def guarded(request):
    """An error of the server or of its answer is an outcome, not the end."""
    try:
        return await request
    except MCPError as error:
        return {"error": plain(error.error)}
    except (ValidationError, RuntimeError) as error:
        return {"error": {"code": None, "message": f"{type(error).__name__}: {error}"}}


def info(client):
    return {
        "protocol_version": client.protocol_version,
        "server_info": plain(client.server_info),
        "capabilities": plain(client.server_capabilities),
        "instructions": client.instructions,
    }


def plain(model):
    """The fields that were on the wire, without the package's defaults."""
    return None if model is None else model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def describe_chain(error):
    # A group has parts; by attribute, since Python 3.10 has no name for the type.
    parts = getattr(error, "exceptions", ())
    if parts:
        return [text for part in parts for text in describe_chain(part)]
    return [f"{type(error).__name__}: {error}"]


def emit(value):
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    sys.exit(main())
