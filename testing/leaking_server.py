"""An MCP server that puts one person's data into every part of its answers.

Standard library only, stdio. Each tool is one door; `DOORS` lists them.
"""

import base64
import json
import sys

EMAIL = "zofia.kowalczyk@canary.example"
PERSON = {"full_name": "Zofia Kowalczyk", "email": EMAIL, "phone": "+48 601 234 567"}
PROSE = f"Please write to {EMAIL} today."


def encoded(text, alphabet=base64.b64encode):
    return alphabet(text.encode()).decode()


def text(value):
    return {"type": "text", "text": value}


def lines(code, length=60):
    return "\n".join(code[at:at + length] for at in range(0, len(code), length))


def resource(**fields):
    return {"content": [{"type": "resource", "resource": {"uri": "file:///a", **fields}}]}


LONG = encoded(PROSE * 4)

DOORS = {
    "text": {"content": [text(PROSE)]},
    "second_text": {"content": [text("one"), text(PROSE)]},
    "json_text": {"content": [text(json.dumps([PERSON]))]},
    "json_in_json": {"content": [text(json.dumps({"body": json.dumps(PERSON)}))]},
    "structured": {"content": [], "structuredContent": {"people": [PERSON]}},
    "structured_key": {"content": [], "structuredContent": {"by": {EMAIL: 1}}},
    "nested_key": {"content": [text(json.dumps({"a": {EMAIL: {"b": 1}}}))]},
    "meta": {"content": [text("x")], "_meta": {"owner": EMAIL}},
    "meta_key": {"content": [text("x")], "_meta": {EMAIL: 1}},
    "annotation": {"content": [{**text("x"), "annotations": {"lastModified": EMAIL}}]},
    "annotation_audience": {"content": [{**text("x"), "annotations": {"audience": [EMAIL]}}]},
    "annotation_key": {"content": [{**text("x"), "annotations": {EMAIL: 1}}]},
    "block_meta": {"content": [{**text("x"), "_meta": {"by": EMAIL}}]},
    "extra_field": {"content": [{**text("x"), "author": EMAIL}]},
    "resource_uri": resource(uri=f"mailto:{EMAIL}", text="x"),
    "resource_uri_encoded": resource(uri="https://x.example/?q=zofia.kowalczyk%40canary.example", text="x"),
    "resource_text": resource(text=PROSE),
    "resource_type": resource(text="x", mimeType=f"text/plain; by={EMAIL}"),
    "resource_blob": resource(blob=encoded(PROSE), mimeType="text/plain"),
    "resource_blob_json": resource(blob=encoded(json.dumps(PERSON)), mimeType="application/json"),
    "link_name": {"content": [{"type": "resource_link", "uri": "file:///a", "name": EMAIL}]},
    "link_title": {"content": [{"type": "resource_link", "uri": "file:///a", "name": "a", "title": EMAIL}]},
    "link_description": {"content": [{"type": "resource_link", "uri": "file:///a", "name": "a",
                                      "description": PROSE}]},
    "image_text": {"content": [{"type": "image", "data": encoded(PROSE), "mimeType": "image/svg+xml"}]},
    "image_type": {"content": [{"type": "image", "data": "AAAA", "mimeType": EMAIL}]},
    "audio_text": {"content": [{"type": "audio", "data": encoded(PROSE), "mimeType": "audio/wav"}]},
    "data_url": {"content": [text(f"see data:text/plain;base64,{encoded(PROSE)} there")]},
    "base64_field": {"content": [], "structuredContent": {"attachment": encoded(PROSE)}},
    "base64_url_safe": {"content": [text(encoded(PROSE + "~~~???", base64.urlsafe_b64encode).rstrip("="))]},
    "base64_lines": {"content": [text(lines(LONG))]},
    "base64_twice": {"content": [text(encoded(encoded(PROSE)))]},
    "percent_encoded": {"content": [text("https://x.example/?q=zofia.kowalczyk%40canary.example&n=1")]},
    "tool_error": {"content": [text(PROSE)], "isError": True},
    "error_structured": {"content": [], "structuredContent": PERSON, "isError": True},
}


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "leaking", "version": "1", "title": EMAIL},
                "instructions": PROSE}
    if method == "tools/list":
        schema = {"type": "object", "properties": {"note": {"type": "string", "description": PROSE}}}
        return {"tools": [{"name": name, "description": f"Answers. {PROSE}", "inputSchema": schema}
                          for name in [*DOORS, "refused"]]}
    if method == "tools/call":
        return DOORS.get(params["name"])
    return {}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            reply["error"] = {"code": -32000, "message": PROSE, "data": PERSON}
        else:
            reply["result"] = result
        print(json.dumps(reply), flush=True)


if len(sys.argv) > 1 and sys.argv[1] == "--doors":
    print(json.dumps([*DOORS, "refused"]))
elif len(sys.argv) > 1 and sys.argv[1] == "--broken":
    sys.stderr.write(PROSE + "\n")
    print(json.dumps({"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": PROSE}}), flush=True)
else:
    main()
