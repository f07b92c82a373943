#!/usr/bin/env python3
"""Checks that the hostile server misbehaves exactly as it says, and only so."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
from pathlib import Path

SERVER = [sys.executable, str(Path(__file__).with_name("hostile_server.py"))]
# Long enough for a loaded machine; no test waits for it when all is well.
PATIENCE_SECONDS = 20

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Client:
    """Speaks to one server over its pipes, line by line."""

    def __init__(self, *options, meta=None):
        self.process = subprocess.Popen(
            [*SERVER, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.meta = meta
        self.last_id = 0
        self.unrelated = []
        # A server that hangs must fail the test, not stop it.
        self.watchdog = threading.Timer(PATIENCE_SECONDS, self.process.kill)
        self.watchdog.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.process.kill()
        self.process.communicate()

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params=None):
        self.last_id += 1
        params = dict(params or {})
        if self.meta:
            params["_meta"] = self.meta
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def response(self, request_id):
        """The response to this request; lines before it go to `unrelated`."""
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if isinstance(message, dict) and message.get("id") == request_id and "jsonrpc" in message:
                return message
            self.unrelated.append(line.decode())
        raise AssertionError(f"no response to request {request_id}")

    def request(self, method, params=None):
        return self.response(self.ask(method, params))

    def start_call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def call(self, name, **arguments):
        return self.response(self.start_call(name, **arguments))

    def text(self, name, **arguments):
        return self.call(name, **arguments)["result"]["content"][0]["text"]


class Handshake(unittest.TestCase):
    def version(self, *options, asked):
        with Client(*options) as client:
            return client.request("initialize", {"protocolVersion": asked})["result"]["protocolVersion"]

    def test_a_known_version_is_accepted(self):
        self.assertEqual(self.version(asked="2025-06-18"), "2025-06-18")

    def test_an_unknown_version_gets_the_newest_handshake_version(self):
        self.assertEqual(self.version(asked="2999-01-01"), "2025-11-25")

    def test_old_always_answers_the_old_version(self):
        self.assertEqual(self.version("--old", asked="2025-11-25"), "2024-11-05")

    def test_a_handshake_server_does_not_know_discover(self):
        with Client(meta=MODERN_META) as client:
            self.assertEqual(client.request("server/discover")["error"]["code"], -32601)

    def test_noise_comes_before_the_handshake(self):
        with Client("--noise") as client:
            client.request("initialize", {"protocolVersion": "2025-11-25"})
            self.assertEqual(client.unrelated[0], "Welcome to the hostile server!\n")

    def test_die_at_start(self):
        self.assertEqual(subprocess.run([*SERVER, "--die-at-start", "7"], stderr=subprocess.DEVNULL).returncode, 7)

    def test_hang_at_start_answers_nothing(self):
        with Client("--hang-at-start") as client:
            client.ask("initialize")
            with self.assertRaises(subprocess.TimeoutExpired):
                client.process.wait(0.3)


class Modern(unittest.TestCase):
    def test_discover_then_stateless_requests(self):
        with Client("--no-initialize", meta=MODERN_META) as client:
            found = client.request("server/discover")["result"]
            self.assertEqual(found["supportedVersions"], ["2026-07-28"])
            self.assertEqual(found["resultType"], "complete")
            self.assertEqual(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hostile")
            listed = client.request("tools/list")["result"]
            self.assertEqual((listed["ttlMs"], listed["cacheScope"]), (0, "private"))
            self.assertEqual(client.text("echo", text="hi"), "hi")

    def test_initialize_is_unknown(self):
        with Client("--no-initialize", meta=MODERN_META) as client:
            self.assertEqual(client.request("initialize")["error"]["code"], -32601)

    def test_a_request_without_meta_is_refused(self):
        with Client("--no-initialize") as client:
            self.assertEqual(client.request("tools/list")["error"]["code"], -32602)

    def test_another_version_is_refused_with_the_supported_ones(self):
        meta = {**MODERN_META, "io.modelcontextprotocol/protocolVersion": "2999-01-01"}
        with Client("--no-initialize", meta=meta) as client:
            error = client.request("server/discover")["error"]
            self.assertEqual(error["code"], -32022)
            self.assertEqual(error["data"], {"supported": ["2026-07-28"], "requested": "2999-01-01"})

    def test_list_changed_goes_to_the_subscription(self):
        with Client("--no-initialize", meta=MODERN_META) as client:
            listen = client.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
            acknowledged = json.loads(client.process.stdout.readline())
            self.assertEqual(acknowledged["method"], "notifications/subscriptions/acknowledged")
            client.call("grow_tools")
            changed = json.loads(client.unrelated[0])
            self.assertEqual(changed["method"], "notifications/tools/list_changed")
            self.assertEqual(changed["params"]["_meta"], {"io.modelcontextprotocol/subscriptionId": listen})


class Listing(unittest.TestCase):
    def names(self, client):
        names, cursor = [], None
        while True:
            result = client.request("tools/list", {"cursor": cursor} if cursor else {})["result"]
            names += [tool["name"] for tool in result["tools"]]
            cursor = result.get("nextCursor")
            if cursor is None or len(names) > 500:
                return names

    def test_pages_give_the_same_tools_as_one_list(self):
        with Client() as whole, Client("--page-size", "3") as paged:
            self.assertEqual(self.names(whole), self.names(paged))

    def test_endless_pages_never_end(self):
        for kind in ("new", "same"):
            with Client("--endless-pages", kind) as client:
                self.assertGreater(len(self.names(client)), 500)

    def test_duplicate_tools(self):
        with Client("--duplicate-tools") as client:
            self.assertEqual(self.names(client).count("echo"), 2)

    def test_many_tools_can_be_called(self):
        with Client("--many-tools", "400") as client:
            self.assertIn("many_00400", self.names(client))
            self.assertEqual(client.text("many_00400", value="x"), 'many_00400: {"value": "x"}')

    def test_grown_tools_are_announced_and_listed(self):
        with Client() as client:
            self.assertEqual(client.text("grow_tools"), "grown_1")
            self.assertEqual(json.loads(client.unrelated[0])["method"], "notifications/tools/list_changed")
            self.assertIn("grown_1", self.names(client))


class Calls(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.__exit__)

    def test_plain_answers(self):
        self.assertEqual(self.client.text("echo", text="žluť"), "žluť")
        self.assertEqual(self.client.text("add", a=1, b=2.5), "3.5")
        self.assertEqual(self.client.call("empty")["result"], {"content": []})
        self.assertEqual(self.client.text("pid"), str(self.client.process.pid))
        self.assertIn("PATH", json.loads(self.client.text("env_dump")))

    def test_wrong_arguments_are_refused(self):
        for arguments in ({"a": "1", "b": 2}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": True, "b": 1}):
            self.assertEqual(self.client.call("add", **arguments)["error"]["code"], -32602)

    def test_failures(self):
        failed = self.client.call("fail", message="no")["result"]
        self.assertEqual(failed, {"content": [{"type": "text", "text": "no"}], "isError": True})
        self.assertEqual(self.client.call("rpc_error")["error"]["code"], -32050)
        self.assertEqual(self.client.call("bad_result")["result"], {"unexpected": True})
        self.assertEqual(self.client.call("bad_result", kind="text")["result"], "not an object")
        self.assertEqual(set(self.client.call("bad_result", kind="neither")), {"jsonrpc", "id"})
        self.assertEqual(self.client.call("no_such_tool")["error"]["message"], "Unknown tool: no_such_tool")

    def test_garbage_comes_before_the_answer(self):
        self.assertEqual(self.client.text("garbage"), "after the garbage")
        self.assertEqual(self.client.unrelated[0], "this is not JSON\n")

    def test_die_ends_the_process_with_the_code(self):
        self.client.start_call("die", code=9)
        self.assertEqual(self.client.process.wait(PATIENCE_SECONDS), 9)

    def test_never_records_the_cancellation(self):
        waiting = self.client.start_call("never")
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": waiting}}
        self.client.send({"jsonrpc": "2.0", **cancelled})
        self.assertEqual(json.loads(self.client.text("cancel_log")), [waiting])

    def test_slow_calls_overtake_each_other(self):
        late = self.client.start_call("slow", ms=300, text="late")
        early = self.client.start_call("slow", ms=0, text="early")
        self.assertEqual(self.client.response(early)["result"]["content"][0]["text"], "early")
        self.assertEqual(self.client.response(late)["result"]["content"][0]["text"], "late")

    def test_progress_is_reported(self):
        params = {"name": "progress", "arguments": {"steps": 2}, "_meta": {"progressToken": "t"}}
        self.client.send({"jsonrpc": "2.0", "id": "p", "method": "tools/call", "params": params})
        self.client.response("p")
        reported = [json.loads(line)["params"]["progress"] for line in self.client.unrelated]
        self.assertEqual(reported, [1, 2])

    def test_sizes(self):
        self.assertEqual(len(self.client.text("huge", bytes=1_000_000)), 1_000_000)
        self.assertEqual(self.client.text("flood_stdout", bytes=100_000), "flooded stdout")
        self.assertEqual(len(self.client.unrelated[0]), 100_001)

    def test_deep_results_are_nested_as_asked(self):
        value, depth = self.client.call("deep", depth=100)["result"]["structuredContent"], 0
        while value:
            value, depth = value["d"], depth + 1
        self.assertEqual(depth, 100)

    def test_flood_stderr(self):
        drain = threading.Thread(target=self.client.process.stderr.read, args=(100_000,))
        drain.start()
        self.assertEqual(self.client.text("flood_stderr", bytes=100_000), "flooded stderr")
        drain.join(PATIENCE_SECONDS)
        self.assertFalse(drain.is_alive())

    def test_media_has_one_block_of_each_kind(self):
        kinds = [block["type"] for block in self.client.call("media")["result"]["content"]]
        self.assertEqual(kinds, ["text", "image", "audio", "resource_link", "resource", "resource"])

    def test_structured(self):
        result = self.client.call("structured")["result"]
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
        self.assertIsNone(self.client.call("structured_null")["result"]["structuredContent"])

    def test_mirrors_give_back_what_arrives_and_the_record_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, "received")
            with Client("--mirror", "--record", str(record)) as client:
                arguments = {"id": 2**64 - 1, "": [None, "\u2028"]}
                self.assertEqual(client.call("mirror", **arguments)["result"]["structuredContent"], arguments)
                self.assertEqual(json.loads(client.text("mirror_text", **arguments)), arguments)
            last = json.loads(record.read_bytes().splitlines()[-1])
            self.assertEqual(last["params"]["arguments"], arguments)

    def test_a_changed_tool_is_listed_and_answers_anew(self):
        with Client("--changing") as client:
            first = client.text("forecast")
            client.text("change_tools")
            second = client.text("forecast")
            self.assertEqual(
                [json.loads(first), json.loads(second)],
                [{"city": "Oslo", "degrees": -3.5}, {"town": "Bergen", "rain": True}],
            )
            tools = client.request("tools/list")["result"]["tools"]
            described = [tool["description"] for tool in tools if tool["name"] == "forecast"]
            self.assertEqual(described, ["Forecast, version 2"])

    def test_a_grandchild_is_in_a_session_of_its_own(self):
        grandchild = int(self.client.text("spawn_grandchild"))
        try:
            self.assertEqual(os.getsid(grandchild), grandchild)
            self.assertNotEqual(os.getsid(grandchild), os.getsid(self.client.process.pid))
        finally:
            os.kill(grandchild, signal.SIGKILL)


class Ending(unittest.TestCase):
    def test_the_end_of_stdin_ends_the_server(self):
        with Client() as client:
            client.start_call("never")
            client.process.stdin.close()
            self.assertEqual(client.process.wait(PATIENCE_SECONDS), 0)
            client.process.stdin = None

    def test_ignore_eof_outlives_stdin_and_sigterm(self):
        with Client("--ignore-eof") as client:
            client.text("pid")
            client.process.stdin.close()
            client.process.stdin = None
            client.process.terminate()
            with self.assertRaises(subprocess.TimeoutExpired):
                client.process.wait(0.3)

    def test_start_log_counts_the_starts(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "starts"
            for _ in range(2):
                subprocess.run([*SERVER, "--start-log", str(log)], stdin=subprocess.DEVNULL)
            self.assertEqual(len(log.read_text().splitlines()), 2)


class Http(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen(
            [*SERVER, "--http", "0", "--require-header", "X-Key=yes"], stderr=subprocess.PIPE
        )
        self.addCleanup(self.stop)
        word, port = self.process.stderr.readline().split()
        self.assertEqual(word, b"PORT")
        self.url = f"http://127.0.0.1:{int(port)}/mcp"

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def post(self, message, headers=None):
        request = urllib.request.Request(
            self.url, json.dumps(message).encode(), headers={"X-Key": "yes"} if headers is None else headers
        )
        # Loopback must not go through a proxy.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE_SECONDS) as response:
            return response.status, response.read()

    def test_a_call_is_answered_in_plain_json(self):
        params = {"name": "echo", "arguments": {"text": "hi"}}
        status, body = self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(body)["result"]["content"][0]["text"], "hi")

    def test_a_notification_is_accepted(self):
        self.assertEqual(self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}), (202, b""))

    def test_without_the_header_it_is_401(self):
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers={})
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()


if __name__ == "__main__":
    unittest.main()
