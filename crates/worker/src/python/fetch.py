"""`fetch`, for programs written for JavaScript's `fetch` or for `requests`.

In: a URL and what to send. Out: a `Response`. The gateway checks the URL, the
headers and the redirects; nothing is decided here.
"""

from . import channel as wire
from .api import Call, ToolError
from .values import decode, encode


class Fetch(Call):
    """Asks for a URL, as far as the configuration allows it."""

    def __init__(self, host):
        self._host = host
        self.__name__ = self.__qualname__ = "fetch"

    def _send(self, send, url, method=None, headers=None, body=None, *, json=None, data=None, params=None,
              redirect="follow", timeout=None):
        # As in JavaScript: one dict with all options.
        if isinstance(method, dict):
            return self._send(send, url, **method)
        # `timeout` is accepted and ignored, since many pass it; the gateway has its own.
        content, kind = _body(body, json, data)
        sent = _pairs(headers)
        if kind and not any(name.lower() == "content-type" for name, _ in sent):
            sent.append(("content-type", kind))
        method = str(method or ("GET" if content is None else "POST")).upper()
        request = {"url": _with_params(str(url), params), "method": method, "headers": sent,
                   "body": _base64(content), "redirect": str(redirect)}
        return send(wire.FETCH, wire.text(encode(request, "arguments")), convert=Response)


class Response:
    """What a server answered."""

    def __init__(self, answer):
        import binascii
        self.status = self.status_code = answer["status"]
        self.status_text = self.reason = answer["statusText"]
        self.ok = 200 <= self.status < 300
        self.url, self.redirected = answer["url"], answer["redirected"]
        self.headers = Headers(answer["headers"])
        self.content = self.body = binascii.a2b_base64(answer["body"])

    @property
    def text(self):
        """The body as text: `response.text` and `response.text()`."""
        _, _, charset = self.headers.get("content-type", "").lower().partition("charset=")
        try:
            return Text(self.content.decode(charset.partition(";")[0].strip("\"' ") or "utf-8", "replace"))
        except LookupError:
            return Text(self.content.decode("utf-8", "replace"))

    def json(self):
        """The body as data; keys of dicts are attributes too, as in answers of tools."""
        return decode(self.content.decode("utf-8-sig", "replace"))

    def bytes(self):
        return self.content

    def raise_for_status(self):
        if self.status >= 400:
            raise ToolError(f"`{self.url}` answered {self.status} {self.status_text}".rstrip(), "fetch.failed")

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return f"<Response [{self.status}]>"


class Text(str):
    """Text that can be called, since both ways of reading a body are known."""

    __slots__ = ()

    def __call__(self):
        return str(self)


class Headers(dict):
    """Names in any case; several values of one name are one text."""

    def __init__(self, pairs):
        super().__init__()
        for name, value in pairs:
            name = name.lower()
            self[name] = f"{self[name]}, {value}" if name in self else value

    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __contains__(self, name):
        return super().__contains__(name.lower())

    def get(self, name, default=None):
        return super().get(name.lower(), default)


def _pairs(headers):
    pairs = headers.items() if hasattr(headers, "items") else headers or ()
    return [(str(name), str(value)) for name, value in pairs]


def _body(body, json, data):
    """The bytes to send and their default content type."""
    if json is not None:
        return encode(json, "json").encode(), "application/json"
    if isinstance(data, dict) or isinstance(data, (list, tuple)):
        from urllib.parse import urlencode
        return urlencode(data, doseq=True).encode(), "application/x-www-form-urlencoded"
    body = data if body is None else body
    if body is None or isinstance(body, (bytes, bytearray, memoryview)):
        return body, None
    if isinstance(body, str):
        return body.encode("utf-8", "replace"), "text/plain;charset=UTF-8"
    return encode(body, "body").encode(), "application/json"


def _base64(content):
    if content is None:
        return None
    import binascii
    return binascii.b2a_base64(content, newline=False).decode("ascii")


def _with_params(url, params):
    if not params:
        return url
    from urllib.parse import urlencode
    query = params if isinstance(params, str) else urlencode(params, doseq=True)
    url, mark, fragment = url.partition("#")
    return f"{url}{'&' if '?' in url else '?'}{query}{mark}{fragment}"
