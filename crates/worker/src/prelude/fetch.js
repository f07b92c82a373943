// fetch, Headers, Request and Response, for programs written for browsers and Node.
//
// In: `host.request(text)`, which sends a request as JSON text to the gateway and returns a promise
// of the answer; `host.utf8Encode`. Out: those names, for the lazy globals.
// The gateway checks the URL, the headers and the redirects; nothing is decided here.
// Not supported: streams (a body arrives whole; `body` can be iterated and has one reader), Blob,
// FormData, cookies, caches. An aborted request rejects immediately and ends with the run.
(function (host) {
  "use strict";
  const P = host.prim;
  const { use, utf8Encode } = host;
  const { stringify } = P;
  const encoding = () => use("encoding");
  // A frame to the gateway holds 64 MB, and base64 turns three bytes into four.
  const mostBytes = 32 * 1024 * 1024;

  // The error of a failed request: a TypeError, as in browsers, with the gateway's code and hint.
  class FetchError extends TypeError {
    constructor(failure) {
      super(failure.message);
      this.code = failure.code;
      if (failure.hint) this.hint = failure.hint;
      if (failure.stack) P.defineProperty(this, "stack", { __proto__: null, value: failure.stack, writable: true, configurable: true });
    }
  }
  P.defineProperty(FetchError.prototype, "name", { __proto__: null, value: "FetchError", writable: true, configurable: true });

  // ---- Headers

  const headerName = (name) => {
    const text = `${name}`;
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text)) throw new TypeError(`\`${text}\` is not a valid header name`);
    return text.toLowerCase();
  };
  const headerValue = (value) => {
    const text = `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
    if (/[\0\n\r]/.test(text)) throw new TypeError("a header value has a line end or a NUL in it");
    return text;
  };

  class Headers {
    #lists = new P.Map(); // name -> values, in order
    constructor(init = undefined) {
      if (init === undefined || init === null) return;
      if (typeof init !== "object") throw new TypeError("`Headers` expects an object, a list of pairs or other headers");
      const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
      for (const pair of pairs) {
        const [name, value, ...more] = pair;
        if (value === undefined || more.length > 0) throw new TypeError("`Headers` expects pairs of a name and a value");
        this.append(name, value);
      }
    }
    append(name, value) {
      const key = headerName(name);
      const list = this.#lists.get(key);
      if (list) list.push(headerValue(value));
      else this.#lists.set(key, [headerValue(value)]);
    }
    set(name, value) { this.#lists.set(headerName(name), [headerValue(value)]); }
    get(name) { return this.#lists.get(headerName(name))?.join(", ") ?? null; }
    has(name) { return this.#lists.has(headerName(name)); }
    delete(name) { this.#lists.delete(headerName(name)); }
    getSetCookie() { return [...this.#lists.get("set-cookie") ?? []]; }
    *entries() {
      for (const name of [...this.#lists.keys()].sort()) {
        const list = this.#lists.get(name);
        if (name === "set-cookie") for (const value of list) yield [name, value];
        else yield [name, list.join(", ")];
      }
    }
    *keys() { for (const [name] of this.entries()) yield name; }
    *values() { for (const [, value] of this.entries()) yield value; }
    forEach(callback, self = undefined) { for (const [name, value] of this.entries()) callback.call(self, value, name, this); }
    [Symbol.iterator]() { return this.entries(); }
    get [Symbol.toStringTag]() { return "Headers"; }
  }

  // ---- bodies

  // The bytes of a body that a program passes, and their default content type.
  function extract(value) {
    if (value === undefined || value === null) return { bytes: null, type: null };
    if (value instanceof P.ArrayBuffer) return { bytes: new P.Uint8Array(value.slice(0)), type: null };
    if (P.isView(value)) return { bytes: new P.Uint8Array(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)), type: null };
    const text = (content, type) => ({ bytes: new P.Uint8Array(utf8Encode(content)), type });
    if (typeof value === "object" && value instanceof globalThis.URLSearchParams) {
      return text(`${value}`, "application/x-www-form-urlencoded;charset=UTF-8");
    }
    if (typeof value === "object" && (P.isArray(value) || `${value}` === "[object Object]")) {
      throw new TypeError("`body` is a plain object, which would be sent as \"[object Object]\": write `JSON.stringify(...)`");
    }
    return text(`${value}`, "text/plain;charset=UTF-8");
  }

  let bytesOf; // set by Body: returns the bytes without consuming them

  class Body {
    #bytes; #used = false;
    static {
      bytesOf = (owner) => {
        if (owner.#used) throw new TypeError("the body was already read: call `.clone()` before the first read");
        return owner.#bytes;
      };
    }
    constructor(bytes) { this.#bytes = bytes; }
    get bodyUsed() { return this.#used; }
    get body() {
      if (this.#bytes === null) return null;
      const owner = this;
      let reader;
      return {
        get locked() { return reader !== undefined || owner.#used; },
        async *[Symbol.asyncIterator]() { yield await owner.bytes(); },
        getReader() {
          let done = false;
          return reader ??= {
            async read() {
              if (done) return { done, value: undefined };
              done = true;
              return { done: false, value: await owner.bytes() };
            },
            releaseLock() {}, async cancel() { done = true; },
          };
        },
        async cancel() {},
      };
    }
    async bytes() {
      const bytes = bytesOf(this);
      this.#used = bytes !== null;
      return bytes ?? new P.Uint8Array(0);
    }
    async arrayBuffer() {
      const { buffer, byteOffset, byteLength } = await this.bytes();
      return buffer.slice(byteOffset, byteOffset + byteLength);
    }
    async text() { return new (encoding().TextDecoder)().decode(await this.bytes()); }
    async json() { return JSON.parse(await this.text()); }
  }

  // ---- Request

  const redirects = ["follow", "manual", "error"];

  class Request extends Body {
    #method; #url; #headers; #redirect; #signal;
    constructor(input, init = undefined) {
      const from = input instanceof Request ? input : undefined;
      const { bytes, type } = init?.body !== undefined && init.body !== null
        ? extract(init.body) : { bytes: from ? bytesOf(from) : null, type: null };
      const method = `${init?.method ?? from?.method ?? "GET"}`.toUpperCase();
      if (bytes !== null && (method === "GET" || method === "HEAD")) {
        throw new TypeError(`a request with \`${method}\` cannot have a body: set \`method\``);
      }
      if (bytes !== null && bytes.length > mostBytes) {
        throw new FetchError({ code: "fetch.limit", message: "the body of the request has more than 32 MB", hint: "send less at a time" });
      }
      const redirect = init?.redirect ?? from?.redirect ?? "follow";
      if (!redirects.includes(redirect)) throw new TypeError("`redirect` is none of \"follow\", \"manual\" and \"error\"");
      super(bytes);
      this.#method = method;
      this.#url = from ? from.url : P.StringToWellFormed(`${input}`);
      this.#headers = new Headers(init?.headers ?? from?.headers);
      if (type !== null && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
      this.#redirect = redirect;
      this.#signal = init?.signal ?? from?.signal ?? null;
    }
    get method() { return this.#method; }
    get url() { return this.#url; }
    get headers() { return this.#headers; }
    get redirect() { return this.#redirect; }
    get signal() { return this.#signal; }
    clone() { return new Request(this); }
    get [Symbol.toStringTag]() { return "Request"; }
  }

  // ---- Response

  let answered; // set by Response: creates one from the gateway's answer

  class Response extends Body {
    #status; #statusText; #headers; #url = ""; #redirected = false; #type = "default";
    static {
      answered = (answer) => {
        const bytes = encoding().Buffer.from(answer.body, "base64");
        const response = new Response(null, answer, new P.Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
        response.#url = answer.url.split("#")[0];
        response.#redirected = answer.redirected;
        response.#type = "basic";
        return response;
      };
    }
    constructor(body = null, init = undefined, own = undefined) {
      const { bytes, type } = own === undefined ? extract(body) : { bytes: own, type: null };
      super(bytes);
      const status = init?.status ?? 200;
      // Servers may send any status.
      if (own === undefined && !(status >= 200 && status <= 599)) throw new RangeError("`status` must be from 200 to 599");
      this.#status = status;
      this.#statusText = `${init?.statusText ?? ""}`;
      this.#headers = new Headers(init?.headers);
      if (type !== null && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
    }
    static json(data, init = undefined) {
      const response = new Response(stringify(data), init);
      if (!new Headers(init?.headers).has("content-type")) response.headers.set("content-type", "application/json");
      return response;
    }
    get status() { return this.#status; }
    get statusText() { return this.#statusText; }
    get ok() { return this.#status >= 200 && this.#status <= 299; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }
    get type() { return this.#type; }
    clone() {
      const copy = new Response(null, { status: this.#status, statusText: this.#statusText, headers: this.#headers }, bytesOf(this));
      copy.#url = this.#url;
      copy.#redirected = this.#redirected;
      copy.#type = this.#type;
      return copy;
    }
    get [Symbol.toStringTag]() { return "Response"; }
  }

  // ---- fetch

  function encode(request) {
    const bytes = bytesOf(request);
    return stringify({
      url: request.url,
      method: request.method,
      headers: [...request.headers].map(([name, value]) => [name, P.StringToWellFormed(value)]),
      body: bytes === null ? null : encoding().Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
      redirect: request.redirect,
    });
  }

  function fetch(input, init = undefined) {
    return new P.Promise((resolve, reject) => {
      const request = new Request(input, init);
      const { signal } = request;
      if (signal?.aborted) { reject(signal.reason); return; }
      signal?.addEventListener("abort", () => { reject(signal.reason); }, { once: true });
      host.request(encode(request)).then(answered).then(resolve, (failure) => {
        reject(host.sameRequest(new FetchError(failure), failure));
      });
    });
  }

  return { fetch, Headers, Request, Response };
})
