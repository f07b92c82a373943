// URL and URLSearchParams as in the WHATWG URL Standard.
//
// In: text. Out: { URL, URLSearchParams } for the lazy globals.
// Not supported: `URL.createObjectURL`; the full IDNA tables. A host name with non-ASCII letters is
// mapped with NFKC and lower case, then Punycode (RFC 3492). This agrees with UTS 46 for
// ordinary names but accepts some names that UTS 46 rejects.
(function (host) {
  "use strict";
  const { encodeUtf8, decodeUtf8 } = host.use("encoding");
  const custom = Symbol.for("nodejs.util.inspect.custom");
  const PORTS = { __proto__: null, "http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "file": null };
  const isSpecial = (url) => url.scheme in PORTS;

  // ---- percent encoding

  // Each set extends the one before it; C0 controls and non-ASCII are in all of them.
  const FRAGMENT = " \"<>`";
  const QUERY = " \"#<>";
  const SPECIAL_QUERY = `${QUERY}'`;
  const PATH = `${QUERY}?^\`{}`;
  const USERINFO = `${PATH}/:;=@[\\]|`;

  function encodeChar(char, set) {
    const code = char.codePointAt(0);
    if (code > 0x1f && code < 0x7f && !set.includes(char)) return char;
    let text = "";
    for (const byte of encodeUtf8(char)) text += `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;
    return text;
  }
  function encode(text, set) {
    if (/^[\w.~-]*$/.test(text)) return text; // in no set
    let out = "";
    for (const char of text) out += encodeChar(char, set);
    return out;
  }
  function percentDecode(text) {
    const bytes = encodeUtf8(text);
    if (!text.includes("%")) return bytes;
    let n = 0;
    for (let i = 0; i < bytes.length; i++) {
      const hex = bytes[i] === 37 ? String.fromCharCode(bytes[i + 1], bytes[i + 2]) : "";
      if (/^[0-9a-f]{2}$/i.test(hex)) { bytes[n++] = parseInt(hex, 16); i += 2; }
      else bytes[n++] = bytes[i];
    }
    return bytes.subarray(0, n);
  }

  // ---- hosts

  class Invalid extends Error {}
  const invalid = () => { throw new Invalid(); };

  function parseHost(text, opaque) {
    if (text[0] === "[") return text.endsWith("]") ? serializeIPv6(parseIPv6(text.slice(1, -1))) : invalid();
    if (opaque) {
      if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) invalid();
      return encode(text, "");
    }
    const domain = toAscii(decodeUtf8(percentDecode(text)));
    if (domain === "" || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(domain.replace(/["`{}]/g, ""))) invalid();
    const parts = domain.split(".");
    if (parts.at(-1) === "" && parts.length > 1) parts.pop();
    const last = parts.at(-1);
    return /^\d+$/.test(last) || /^0x[0-9a-f]*$/i.test(last) ? parseIPv4(parts) : domain;
  }

  function parseIPv4(parts) {
    if (parts.length > 4) invalid();
    const numbers = parts.map((part) => {
      if (part === "") invalid();
      let radix = 10;
      if (/^0x/i.test(part)) { part = part.slice(2); radix = 16; } else if (/^0./.test(part)) { part = part.slice(1); radix = 8; }
      if (part === "") return 0;
      const digits = radix === 10 ? /^\d+$/ : radix === 16 ? /^[\da-f]+$/i : /^[0-7]+$/;
      return digits.test(part) ? parseInt(part, radix) : invalid();
    });
    const last = numbers.pop();
    if (numbers.some((n) => n > 255) || last >= 256 ** (4 - numbers.length)) invalid();
    let value = last;
    numbers.forEach((n, i) => { value += n * 256 ** (3 - i); });
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  }

  function parseIPv6(text) {
    const halves = text.split("::");
    if (halves.length > 2) invalid();
    const pieces = (half, isLast) => {
      if (half === "") return [];
      const out = [];
      const groups = half.split(":");
      groups.forEach((group, i) => {
        if (/^[\da-f]{1,4}$/i.test(group)) { out.push(parseInt(group, 16)); return; }
        // An IPv4 address may replace the last two pieces.
        const bytes = isLast && i === groups.length - 1 ? group.split(".") : [];
        if (bytes.length !== 4 || !bytes.every((b) => /^(0|[1-9]\d{0,2})$/.test(b) && b < 256)) invalid();
        out.push(bytes[0] * 256 + +bytes[1], bytes[2] * 256 + +bytes[3]);
      });
      return out;
    };
    const head = pieces(halves[0], halves.length === 1);
    if (halves.length === 1) return head.length === 8 ? head : invalid();
    const tail = pieces(halves[1], true);
    if (head.length + tail.length > 7) invalid();
    return [...head, ...Array(8 - head.length - tail.length).fill(0), ...tail];
  }

  function serializeIPv6(pieces) {
    let best = -1;
    let bestLength = 1;
    for (let i = 0; i < 8; i++) {
      let length = 0;
      while (pieces[i + length] === 0) length++;
      if (length > bestLength) { best = i; bestLength = length; }
      if (length > 0) i += length - 1;
    }
    const hex = pieces.map((piece) => piece.toString(16));
    if (best < 0) return `[${hex.join(":")}]`;
    return `[${hex.slice(0, best).join(":")}::${hex.slice(best + bestLength).join(":")}]`;
  }

  function toAscii(domain) {
    if (/^[\0-\x7f]*$/.test(domain)) return domain.toLowerCase();
    // Characters that UTS 46 ignores, and its dots.
    const mapped = domain.replace(/[\u00ad\u200b\u2060\ufe00-\ufe0f\ufeff]/g, "").normalize("NFKC").toLowerCase().normalize("NFC").replace(/[\u3002\uff0e\uff61]/g, ".");
    if (/[\ufffd\ud800-\udfff]/u.test(mapped)) invalid();
    return mapped.split(".").map((label) => /^[\0-\x7f]*$/.test(label) ? label : `xn--${punycode(label)}`).join(".");
  }

  // RFC 3492, section 6.3; the numbers are its parameters.
  function punycode(label) {
    const points = Array.from(label, (char) => char.codePointAt(0));
    const basic = points.filter((point) => point < 128);
    let out = String.fromCharCode(...basic);
    let handled = basic.length;
    if (handled > 0) out += "-";
    let n = 128;
    let delta = 0;
    let bias = 72;
    for (let first = true; handled < points.length; n++, delta++) {
      const next = Math.min(...points.filter((point) => point >= n));
      delta += (next - n) * (handled + 1);
      n = next;
      for (const point of points) {
        if (point < n) delta++;
        if (point !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
          const digit = q < t ? q : t + (q - t) % (36 - t);
          out += String.fromCharCode(digit < 26 ? digit + 97 : digit + 22);
          if (q < t) break;
          q = Math.floor((q - t) / (36 - t));
        }
        handled++;
        delta = Math.floor(delta / (first ? 700 : 2));
        first = false;
        delta += Math.floor(delta / handled);
        let k = 0;
        for (; delta > 455; k += 36) delta = Math.floor(delta / 35);
        bias = k + Math.floor(36 * delta / (delta + 38));
        delta = 0;
      }
    }
    return out;
  }

  // ---- the parser

  // A URL record. `path` is a list of segments, or one text if the path is opaque.
  const record = () => ({ scheme: "", username: "", password: "", host: null, port: null, path: [], query: null, fragment: null });
  const isOpaque = (url) => typeof url.path === "string";
  const isDriveLetter = (text) => /^[a-z][:|]$/i.test(text);
  const startsWithDrive = (text) => /^[a-z][:|]([/\\?#]|$)/i.test(text);
  const isSingleDot = (text) => /^(\.|%2e)$/i.test(text);
  const isDoubleDot = (text) => /^(\.|%2e){2}$/i.test(text);

  function parse(input, base) {
    const text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
    const url = record();
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text);
    if (scheme === null) {
      if (base === null) invalid();
      if (isOpaque(base)) {
        if (text[0] !== "#") invalid();
        Object.assign(url, base, { fragment: null });
        return parseTail(url, text);
      }
      url.scheme = base.scheme;
      return parseRelative(url, text, base);
    }
    url.scheme = scheme[1].toLowerCase();
    const rest = text.slice(scheme[0].length);
    if (url.scheme === "file") return parseRelative(url, rest, base?.scheme === "file" ? base : null);
    if (isSpecial(url)) {
      if (base !== null && base.scheme === url.scheme && !/^[/][/]/.test(rest)) return parseRelative(url, rest, base);
      return parseAuthority(url, rest.replace(/^[/\\]*/, ""));
    }
    if (rest.startsWith("//")) return parseAuthority(url, rest.slice(2));
    if (rest[0] === "/") return parsePath(url, rest);
    url.path = "";
    return parseTail(url, rest);
  }

  // Parses the part after the scheme, or a text without one; `base` has the same scheme or is null.
  function parseRelative(url, text, base) {
    const slash = isSpecial(url) ? /^[/\\]/ : /^[/]/;
    const isFile = url.scheme === "file";
    if (slash.test(text) && slash.test(text.slice(1))) {
      return isFile ? parseFileHost(url, text.slice(2)) : parseAuthority(url, isSpecial(url) ? text.replace(/^[/\\]*/, "") : text.slice(2));
    }
    if (isFile) url.host = "";
    if (base === null) return parsePath(url, text);
    url.host = base.host;
    if (slash.test(text)) {
      if (!isFile) { url.username = base.username; url.password = base.password; url.port = base.port; }
      else if (!startsWithDrive(text.slice(1)) && /^[a-z]:$/i.test(base.path[0] ?? "")) url.path = [base.path[0]];
      return parsePath(url, text);
    }
    url.username = base.username; url.password = base.password; url.port = base.port;
    url.path = base.path.slice();
    if (text === "" || text[0] === "#") { url.query = base.query; return parseTail(url, text); }
    if (text[0] === "?") return parseTail(url, text);
    if (isFile && startsWithDrive(text)) url.path = [];
    else shorten(url);
    return parsePath(url, text, true);
  }

  function splitAt(url, text, stops) {
    const end = text.search(stops);
    return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end)];
  }

  function parseAuthority(url, text) {
    const [authority, rest] = splitAt(url, text, isSpecial(url) ? /[/\\?#]/ : /[/?#]/);
    const at = authority.lastIndexOf("@");
    if (at >= 0) {
      const [, user, password] = /^([^:]*):?([^]*)$/.exec(authority.slice(0, at));
      url.username = encode(user, USERINFO);
      url.password = encode(password, USERINFO);
    }
    setHostAndPort(url, authority.slice(at + 1), at >= 0);
    return parsePath(url, rest);
  }

  function setHostAndPort(url, text, hasCredentials) {
    const [, name, port] = /^((?:\[[^\]]*\]?|[^:[])*)(?::([^]*))?$/.exec(text) ?? invalid();
    if (name === "" && (isSpecial(url) || port !== undefined || hasCredentials)) invalid();
    url.host = name === "" ? "" : parseHost(name, !isSpecial(url));
    if (port !== undefined) url.port = parsePort(url, port);
  }

  function parsePort(url, text) {
    if (text === "") return null;
    if (!/^\d+$/.test(text) || +text > 65535) invalid();
    return +text === PORTS[url.scheme] ? null : +text;
  }

  function parseFileHost(url, text) {
    const [name, rest] = splitAt(url, text, /[/\\?#]/);
    url.host = "";
    if (isDriveLetter(name)) return parsePath(url, text);
    if (name !== "") {
      const parsed = parseHost(name, false);
      url.host = parsed === "localhost" ? "" : parsed;
    }
    return parsePath(url, rest);
  }

  function shorten(url) {
    if (url.scheme === "file" && url.path.length === 1 && /^[a-z]:$/i.test(url.path[0])) return;
    url.path.pop();
  }

  function parsePath(url, text) {
    const special = isSpecial(url);
    const [path, rest] = splitAt(url, text, /[?#]/);
    if (path === "" && !special) return parseTail(url, rest);
    const segments = (/^[/]/.test(path) || special && path[0] === "\\" ? path.slice(1) : path).split(special ? /[/\\]/ : "/");
    segments.forEach((segment, i) => {
      const isLast = i === segments.length - 1;
      if (isDoubleDot(segment)) {
        shorten(url);
        if (isLast) url.path.push("");
      } else if (isSingleDot(segment)) {
        if (isLast) url.path.push("");
      } else {
        if (url.scheme === "file" && url.path.length === 0 && isDriveLetter(segment)) segment = `${segment[0]}:`;
        url.path.push(encode(segment, PATH));
      }
    });
    return parseTail(url, rest);
  }

  // An opaque path, then "?query" and "#fragment".
  function parseTail(url, text) {
    const [, path, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/.exec(text);
    if (isOpaque(url)) url.path += encode(path, "");
    if (query !== undefined) url.query = encode(query, isSpecial(url) ? SPECIAL_QUERY : QUERY);
    if (fragment !== undefined) url.fragment = encode(fragment, FRAGMENT);
    return url;
  }

  // ---- serializing

  const pathText = (url) => isOpaque(url) ? url.path : url.path.map((segment) => `/${segment}`).join("");
  const hostText = (url) => url.host === null ? "" : url.port === null ? url.host : `${url.host}:${url.port}`;

  function serialize(url) {
    let text = `${url.scheme}:`;
    if (url.host !== null) {
      text += "//";
      if (url.username !== "" || url.password !== "") text += `${url.username}${url.password === "" ? "" : `:${url.password}`}@`;
      text += hostText(url);
    } else if (!isOpaque(url) && url.path.length > 1 && url.path[0] === "") {
      text += "/."; // or the path would read as a host
    }
    text += pathText(url);
    if (url.query !== null) text += `?${url.query}`;
    return url.fragment === null ? text : `${text}#${url.fragment}`;
  }

  function originOf(url) {
    if (url.scheme === "blob") {
      try {
        const inner = parse(pathText(url), null);
        return /^https?$/.test(inner.scheme) ? originOf(inner) : "null";
      } catch { return "null"; }
    }
    return isSpecial(url) && url.scheme !== "file" ? `${url.scheme}://${hostText(url)}` : "null";
  }

  // ---- URLSearchParams

  const wellFormed = (value) => `${value}`.toWellFormed();
  const formDecode = (text) => decodeUtf8(percentDecode(text.replaceAll("+", " ")));
  const formEncode = (text) => text.replace(/[^A-Za-z0-9*\-._]/gu, (char) => char === " " ? "+" : encodeChar(char, char));
  const parseForm = (text) => text.split("&").filter((part) => part !== "").map((part) => {
    const at = part.indexOf("=");
    return at < 0 ? [formDecode(part), ""] : [formDecode(part.slice(0, at)), formDecode(part.slice(at + 1))];
  });

  let link; // set by the class: links a parameter list to the URL that contains it
  class URLSearchParams {
    #list = [];
    #owner = null;
    static {
      link = (params, owner, query) => {
        params.#owner = owner;
        params.#list = parseForm(query);
        return params;
      };
    }
    constructor(init = "") {
      init ??= ""; // how Node treats null
      if (typeof init === "object" && init !== null || typeof init === "function") {
        const iterate = init[Symbol.iterator];
        if (iterate !== undefined && iterate !== null) {
          for (const pair of init) {
            const entry = typeof pair === "object" && pair !== null ? [...pair] : [];
            if (entry.length !== 2) throw new TypeError("Each query pair must be an iterable [name, value] tuple");
            this.#list.push([wellFormed(entry[0]), wellFormed(entry[1])]);
          }
        } else {
          for (const key of Object.keys(init)) this.#list.push([wellFormed(key), wellFormed(init[key])]);
        }
      } else {
        const text = wellFormed(init);
        this.#list = parseForm(text[0] === "?" ? text.slice(1) : text);
      }
    }
    #changed() { this.#owner?.(this.toString()); }
    get size() { return this.#list.length; }
    append(name, value) { this.#list.push([wellFormed(name), wellFormed(value)]); this.#changed(); }
    #matches(name, value) {
      const wanted = wellFormed(name);
      const wantedValue = value === undefined ? undefined : wellFormed(value);
      return (pair) => pair[0] === wanted && (wantedValue === undefined || pair[1] === wantedValue);
    }
    delete(name, value = undefined) {
      const matches = this.#matches(name, value);
      this.#list = this.#list.filter((pair) => !matches(pair));
      this.#changed();
    }
    get(name) { return this.#list.find(this.#matches(name))?.[1] ?? null; }
    getAll(name) { return this.#list.filter(this.#matches(name)).map((pair) => pair[1]); }
    has(name, value = undefined) { return this.#list.some(this.#matches(name, value)); }
    set(name, value) {
      const matches = this.#matches(name);
      const first = this.#list.findIndex(matches);
      if (first < 0) return this.append(name, value);
      this.#list[first][1] = wellFormed(value);
      this.#list = this.#list.filter((pair, i) => i <= first || !matches(pair));
      this.#changed();
    }
    sort() {
      this.#list.sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);
      this.#changed();
    }
    forEach(callback, self = undefined) {
      if (typeof callback !== "function") throw new TypeError("`URLSearchParams.forEach` expects a function");
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() { for (let i = 0; i < this.#list.length; i++) yield [this.#list[i][0], this.#list[i][1]]; }
    *keys() { for (let i = 0; i < this.#list.length; i++) yield this.#list[i][0]; }
    *values() { for (let i = 0; i < this.#list.length; i++) yield this.#list[i][1]; }
    toString() { return this.#list.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`).join("&"); }
    get [Symbol.toStringTag]() { return "URLSearchParams"; }
    [custom](depth, options, inspect) {
      const pairs = this.#list.map(([name, value]) => `${inspect(name)} => ${inspect(value)}`).join(", ");
      return pairs === "" ? "URLSearchParams {}" : `URLSearchParams { ${pairs} }`;
    }
  }
  Object.defineProperty(URLSearchParams.prototype, Symbol.iterator,
    { value: URLSearchParams.prototype.entries, writable: true, configurable: true });

  // ---- URL

  class URL {
    #url;
    #params = null;
    constructor(input, base = undefined) {
      if (arguments.length === 0) throw new TypeError("`URL` expects 1 argument");
      const text = wellFormed(input);
      try {
        this.#url = parse(text, base === undefined ? null : parse(wellFormed(base), null));
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input: text, ...base !== undefined && { base: `${base}` } });
      }
    }
    static canParse(input, base = undefined) { return URL.parse(input, base) !== null; }
    static parse(input, base = undefined) {
      try { return new URL(input, base); } catch (error) {
        if (error?.code === "ERR_INVALID_URL") return null;
        throw error;
      }
    }
    // A setter with a value that does not parse changes nothing.
    #try(change) {
      const copy = { ...this.#url, path: isOpaque(this.#url) ? this.#url.path : this.#url.path.slice() };
      try { change(copy); } catch (error) {
        if (error instanceof Invalid) return;
        throw error;
      }
      this.#url = copy;
    }
    #refreshParams() { if (this.#params !== null) link(this.#params, this.#onParams, this.#url.query ?? ""); }
    #onParams = (query) => { this.#url.query = query === "" ? null : query; };
    get href() { return serialize(this.#url); }
    set href(value) {
      const text = wellFormed(value);
      try { this.#url = parse(text, null); } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input: text });
      }
      this.#refreshParams();
    }
    get origin() { return originOf(this.#url); }
    get protocol() { return `${this.#url.scheme}:`; }
    set protocol(value) {
      const scheme = /^([a-z][a-z0-9+.-]*)(?=:|$)/i.exec(wellFormed(value))?.[1].toLowerCase();
      const url = this.#url;
      if (scheme === undefined || (scheme in PORTS) !== isSpecial(url)) return;
      if (scheme === "file" && (url.username !== "" || url.password !== "" || url.port !== null)) return;
      if (url.scheme === "file" && !url.host) return;
      url.scheme = scheme;
      if (url.port === PORTS[scheme]) url.port = null;
    }
    #noCredentials() { return !this.#url.host || this.#url.scheme === "file"; }
    get username() { return this.#url.username; }
    set username(value) { if (!this.#noCredentials()) this.#url.username = encode(wellFormed(value), USERINFO); }
    get password() { return this.#url.password; }
    set password(value) { if (!this.#noCredentials()) this.#url.password = encode(wellFormed(value), USERINFO); }
    get host() { return hostText(this.#url); }
    set host(value) { this.#setHost(value, true); }
    get hostname() { return this.#url.host ?? ""; }
    set hostname(value) { this.#setHost(value, false); }
    #setHost(value, withPort) {
      if (isOpaque(this.#url)) return;
      this.#try((url) => {
        const [text] = splitAt(url, wellFormed(value).replace(/[\t\n\r]/g, ""), isSpecial(url) ? /[/\\?#]/ : /[/?#]/);
        const [, name, port] = url.scheme === "file" ? [text, text] : /^((?:\[[^\]]*\]?|[^:[])*)(?::(\d*))?/.exec(text);
        if (!withPort && text.length > name.length) invalid();
        if (name === "" && (port !== undefined || url.username !== "" || url.password !== "" || url.port !== null)) invalid();
        if (name === "" && isSpecial(url) && url.scheme !== "file") invalid();
        url.host = name === "" ? "" : parseHost(name, !isSpecial(url));
        if (url.scheme === "file" && url.host === "localhost") url.host = "";
        if (withPort && port && +port <= 65535 && url.scheme !== "file") url.port = parsePort(url, port);
      });
    }
    get port() { return this.#url.port === null ? "" : `${this.#url.port}`; }
    set port(value) {
      if (this.#noCredentials()) return;
      const text = wellFormed(value).replace(/[\t\n\r]/g, "");
      const digits = /^\d+/.exec(text)?.[0];
      if (text === "") this.#url.port = null;
      else if (digits !== undefined) this.#try((url) => { url.port = parsePort(url, digits); });
    }
    get pathname() { return pathText(this.#url); }
    set pathname(value) {
      if (isOpaque(this.#url)) return;
      this.#try((url) => {
        url.path = [];
        const text = wellFormed(value).replace(/[\t\n\r]/g, "").replace(/[?#]/g, (char) => char === "?" ? "%3F" : "%23");
        if (text !== "" || isSpecial(url)) parsePath(url, text);
        else if (url.host === null) url.path = [""];
      });
    }
    get search() { return this.#url.query ? `?${this.#url.query}` : ""; }
    set search(value) {
      const text = wellFormed(value).replace(/[\t\n\r]/g, "");
      this.#url.query = text === "" ? null : encode(text[0] === "?" ? text.slice(1) : text, isSpecial(this.#url) ? SPECIAL_QUERY : QUERY);
      this.#refreshParams();
    }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams();
        this.#refreshParams();
      }
      return this.#params;
    }
    get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ""; }
    set hash(value) {
      const text = wellFormed(value).replace(/[\t\n\r]/g, "");
      this.#url.fragment = text === "" ? null : encode(text[0] === "#" ? text.slice(1) : text, FRAGMENT);
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
    get [Symbol.toStringTag]() { return "URL"; }
    [custom](depth, options, inspect) {
      const shown = {};
      for (const key of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"]) shown[key] = this[key];
      return `URL ${inspect(shown)}`;
    }
  }
  for (const [type, keys] of [[URL, "href origin protocol username password host hostname port pathname search searchParams hash toString toJSON"]]) {
    for (const key of keys.split(" ")) Object.defineProperty(type.prototype, key, { enumerable: true });
  }

  return { URL, URLSearchParams };
})
