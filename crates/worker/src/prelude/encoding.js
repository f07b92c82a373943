// Text, bytes and copies: TextEncoder, TextDecoder, atob, btoa, structuredClone, Buffer.
//
// In: `host.prim`, and if the host has them `host.utf8Encode(text)` (an ArrayBuffer) and
// `host.utf8Decode(buffer, offset, length)` (text, each invalid sequence as U+FFFD), which are
// 100 times faster than the loops here. Out: an object with those names and DOMException, for the lazy globals.
// If the engine has its own atob, btoa or DOMException, that one is kept.
// Not supported: decoders other than UTF-8, UTF-16 and Latin-1; transfer lists; most of Node's
// Buffer (here a Uint8Array with text conversion and the fixed-size reads and writes).
(function (host) {
  "use strict";
  const P = host.prim;
  const { apply, fromCharCode, StringSlice, hasOwn } = P;
  const { domException: fail, utf8Encode, utf8Decode } = host;

  // If the engine has its own class, `host.domException` uses that.
  class DOMException extends Error {
    #name;
    constructor(message = "", name = "Error") {
      super(message);
      this.#name = `${typeof name === "object" ? name?.name ?? "Error" : name}`;
      if (typeof name === "object" && name !== null && hasOwn(name, "cause")) this.cause = name.cause;
    }
    get name() { return this.#name; }
    get code() { return codes[this.#name] ?? 0; }
    get [Symbol.toStringTag]() { return "DOMException"; }
  }
  const codes = { __proto__: null, InvalidCharacterError: 5, SyntaxError: 12, AbortError: 20, TimeoutError: 23, DataCloneError: 25 };

  // ---- bytes and strings

  // Calls `fromCharCode` in chunks: argument lists are limited, and one call per unit is slow.
  function unitsToText(units, length) {
    let text = "";
    for (let i = 0; i < length; i += 4096) {
      text += apply(fromCharCode, null, P.uncurry(units.slice)(units, i, P.min(i + 4096, length)));
    }
    return text;
  }

  // Writes `text` as UTF-8 into `out` at `at`; stops before a character that does not fit.
  function writeUtf8(text, out, at) {
    const room = out.length;
    const from = at;
    let read = 0;
    while (read < text.length) {
      let c = text.charCodeAt(read);
      let units = 1;
      if (c < 0x80) {
        if (at >= room) break;
        out[at++] = c;
        read++;
        continue;
      }
      if (c >= 0xd800 && c <= 0xdfff) {
        const next = c < 0xdc00 && read + 1 < text.length ? text.charCodeAt(read + 1) : 0;
        if (next >= 0xdc00 && next <= 0xdfff) {
          c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
          units = 2;
        } else {
          c = 0xfffd;
        }
      }
      const size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      if (at + size > room) break;
      if (size === 2) {
        out[at++] = 0xc0 | c >> 6;
      } else {
        if (size === 3) out[at++] = 0xe0 | c >> 12;
        else { out[at++] = 0xf0 | c >> 18; out[at++] = 0x80 | c >> 12 & 63; }
        out[at++] = 0x80 | c >> 6 & 63;
      }
      out[at++] = 0x80 | c & 63;
      read += units;
    }
    return { read, written: at - from };
  }

  function utf8Length(text) {
    let size = text.length;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c < 0x80) continue;
      if (c < 0x800) { size += 1; continue; }
      size += 2;
      // A pair is 2 units and 4 bytes.
      if (c >= 0xd800 && c < 0xdc00) {
        const next = text.charCodeAt(i + 1);
        if (next >= 0xdc00 && next <= 0xdfff) i++;
      }
    }
    return size;
  }

  function encodeUtf8(text, Type = P.Uint8Array) {
    if (utf8Encode !== undefined && text.length > 32) return new Type(utf8Encode(text.toWellFormed()));
    const out = new Type(utf8Length(text));
    writeUtf8(text, out, 0);
    return out;
  }

  // The UTF-8 decoder of the Encoding Standard; `state` keeps an unfinished character.
  function decodeUtf8(bytes, state, fatal, flush) {
    if (utf8Decode !== undefined && !fatal && flush && state.need === 0 && bytes.length > 32) {
      return utf8Decode(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    const units = [];
    let n = 0;
    let { need, seen, point, lower, upper } = state;
    const bad = () => {
      if (fatal) {
        state.need = state.seen = 0;
        throw new TypeError("The encoded data was not valid for encoding utf-8");
      }
      units[n++] = 0xfffd;
    };
    for (let i = 0; i < bytes.length; i++) {
      const b = bytes[i];
      if (need === 0) {
        if (b < 0x80) { units[n++] = b; continue; }
        lower = 0x80; upper = 0xbf; seen = 0;
        if (b >= 0xc2 && b <= 0xdf) { need = 1; point = b & 31; }
        else if (b >= 0xe0 && b <= 0xef) {
          if (b === 0xe0) lower = 0xa0; else if (b === 0xed) upper = 0x9f;
          need = 2; point = b & 15;
        } else if (b >= 0xf0 && b <= 0xf4) {
          if (b === 0xf0) lower = 0x90; else if (b === 0xf4) upper = 0x8f;
          need = 3; point = b & 7;
        } else bad();
        continue;
      }
      if (b < lower || b > upper) {
        need = 0;
        i--; // this byte may begin the next character
        bad();
        continue;
      }
      lower = 0x80; upper = 0xbf;
      point = point << 6 | b & 63;
      if (++seen < need) continue;
      need = 0;
      if (point > 0xffff) {
        units[n++] = 0xd800 + (point - 0x10000 >> 10);
        point = 0xdc00 + (point - 0x10000 & 1023);
      }
      units[n++] = point;
    }
    if (flush && need !== 0) { need = 0; bad(); }
    state.need = need; state.seen = seen; state.point = point; state.lower = lower; state.upper = upper;
    return unitsToText(units, n);
  }

  function decodeUtf16(bytes, state, fatal, flush, bigEndian) {
    const units = [];
    let n = 0;
    const bad = () => {
      if (fatal) { state.odd = state.high = -1; throw new TypeError(`The encoded data was not valid for encoding utf-16${bigEndian ? "be" : "le"}`); }
      units[n++] = 0xfffd;
    };
    for (let i = 0; i < bytes.length; i++) {
      if (state.odd < 0) { state.odd = bytes[i]; continue; }
      const unit = bigEndian ? state.odd << 8 | bytes[i] : bytes[i] << 8 | state.odd;
      state.odd = -1;
      const low = unit >= 0xdc00 && unit <= 0xdfff;
      if (state.high >= 0) {
        const { high } = state;
        state.high = -1;
        if (low) { units[n++] = high; units[n++] = unit; continue; }
        bad();
      }
      if (unit >= 0xd800 && unit < 0xdc00) state.high = unit;
      else if (low) bad();
      else units[n++] = unit;
    }
    if (flush) {
      const unfinished = state.high >= 0 || state.odd >= 0;
      state.high = state.odd = -1;
      if (unfinished) bad();
    }
    return unitsToText(units, n);
  }

  const WINDOWS_1252 = "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f"
    + "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
  function decodeLatin(bytes, windows) {
    const units = [];
    for (let i = 0; i < bytes.length; i++) {
      const b = bytes[i];
      units[i] = windows && b >= 0x80 && b < 0xa0 ? WINDOWS_1252.charCodeAt(b - 0x80) : b;
    }
    return unitsToText(units, bytes.length);
  }

  const labels = { __proto__: null };
  const label = (encoding, names) => { for (const name of P.StringSplit(names, " ")) labels[name] = encoding; };
  label("utf-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8");
  label("utf-16le", "utf-16le utf-16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff");
  label("utf-16be", "utf-16be unicodefffe");
  label("windows-1252", "windows-1252 latin1 l1 ascii us-ascii iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 "
    + "iso-ir-100 cp1252 x-cp1252 cp819 ibm819 ansi_x3.4-1968 csisolatin1");

  // The bytes of an ArrayBuffer or of any view on one, not copied.
  function bytesOf(source, caller) {
    if (P.isView(source)) return new P.Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    try {
      return new P.Uint8Array(source, 0, source instanceof P.ArrayBuffer ? P.BufferLength(source) : source.byteLength);
    } catch {
      throw new TypeError(`\`${caller}\` expects an ArrayBuffer or a view on one`);
    }
  }

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return encodeUtf8(`${text}`); }
    encodeInto(text, target) {
      if (!(target instanceof P.Uint8Array)) throw new TypeError("`TextEncoder.encodeInto` expects a Uint8Array");
      return writeUtf8(`${text}`, target, 0);
    }
    get [Symbol.toStringTag]() { return "TextEncoder"; }
  }

  class TextDecoder {
    #encoding; #fatal; #ignoreBOM; #state; #started = false;
    constructor(name = "utf-8", options = undefined) {
      const encoding = labels[P.StringToLowerCase(P.StringTrim(`${name}`))];
      if (encoding === undefined) {
        throw new RangeError(`The encoding \`${name}\` is not supported: use utf-8, utf-16le, utf-16be, latin1 or windows-1252`);
      }
      this.#encoding = encoding;
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
      this.#reset();
    }
    #reset() { this.#state = { need: 0, seen: 0, point: 0, lower: 0x80, upper: 0xbf, odd: -1, high: -1 }; }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input = undefined, options = undefined) {
      const bytes = input === undefined ? new P.Uint8Array(0) : bytesOf(input, "TextDecoder.decode");
      const flush = !options?.stream;
      const encoding = this.#encoding;
      if (encoding === "windows-1252") return decodeLatin(bytes, true);
      let text;
      try {
        text = encoding === "utf-8" ? decodeUtf8(bytes, this.#state, this.#fatal, flush)
          : decodeUtf16(bytes, this.#state, this.#fatal, flush, encoding === "utf-16be");
      } catch (error) {
        this.#started = false;
        this.#reset();
        throw error;
      }
      if (!this.#started && text.length > 0) {
        this.#started = true;
        if (!this.#ignoreBOM && text.charCodeAt(0) === 0xfeff) text = StringSlice(text, 1);
      }
      if (flush) this.#started = false;
      return text;
    }
    get [Symbol.toStringTag]() { return "TextDecoder"; }
  }

  // ---- base64

  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const digits = new P.Uint8Array(128).fill(255);
  for (let i = 0; i < 64; i++) digits[P.StringCharCodeAt(ALPHABET, i)] = i;
  digits[45] = 62; // "-" and "_" of base64url, which Node's decoder accepts anywhere
  digits[95] = 63;

  const nativeFromBase64 = P.Uint8Array.fromBase64?.bind(P.Uint8Array);
  const nativeToBase64 = P.Uint8Array.prototype.toBase64 && P.uncurry(P.Uint8Array.prototype.toBase64);
  function toBase64(bytes, url) {
    if (nativeToBase64) return nativeToBase64(bytes, { alphabet: url ? "base64url" : "base64", omitPadding: url });
    const letters = url ? `${StringSlice(ALPHABET, 0, 62)}-_` : ALPHABET;
    let text = "";
    for (let i = 0; i < bytes.length; i += 3) {
      const left = bytes.length - i;
      const word = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
      text += letters[word >> 18] + letters[word >> 12 & 63];
      if (left > 2) text += letters[word >> 6 & 63] + letters[word & 63];
      else if (left === 2) text += letters[word >> 6 & 63] + (url ? "" : "=");
      else if (!url) text += "==";
    }
    return text;
  }

  // As in Node: other characters are skipped, "=" ends the text.
  function fromBase64(text, Type) {
    if (nativeFromBase64 && text.length > 32) {
      // The strict native decoder first; it rejects characters that Node skips.
      try { return new Type(nativeFromBase64(text).buffer); } catch { /* the loop below */ }
    }
    const out = new Type(P.floor(text.length * 3 / 4) + 1);
    let word = 0;
    let bits = 0;
    let n = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 61) break;
      const digit = c < 128 ? digits[c] : 255;
      if (digit === 255) continue;
      word = word << 6 | digit;
      bits += 6;
      if (bits >= 8) { bits -= 8; out[n++] = word >> bits & 255; word &= (1 << bits) - 1; }
    }
    return out.slice(0, n);
  }

  function btoa(data) {
    if (arguments.length === 0) throw new TypeError("`btoa` expects 1 argument");
    const text = `${data}`;
    for (let i = 0; i < text.length; i++) {
      if (text.charCodeAt(i) > 255) throw fail("`btoa` takes only characters up to U+00FF: encode the text with TextEncoder first", "InvalidCharacterError");
    }
    return toBase64(latinBytes(text, P.Uint8Array), false);
  }

  function atob(data) {
    if (arguments.length === 0) throw new TypeError("`atob` expects 1 argument");
    let text = `${data}`.replace(/[\t\n\f\r ]+/g, "");
    if (text.length % 4 === 0) text = text.replace(/==?$/, "");
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) {
      throw fail("The text given to `atob` is not valid base64", "InvalidCharacterError");
    }
    return decodeLatin(fromBase64(text, P.Uint8Array), false);
  }

  function latinBytes(text, Type) {
    const out = new Type(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  }

  // ---- structuredClone

  const errorTypes = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const typedArrays = { __proto__: null };
  for (const name of ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
    "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"]) typedArrays[name] = globalThis[name];
  const is = (proof, value) => {
    try { proof(value); return true; } catch { return false; }
  };
  const refuse = (value) => {
    let text = typeof value;
    try { text = host.use("inspect").inspect(value, { depth: 0 }); } catch { /* the type will do */ }
    return fail(`${text} could not be cloned`, "DataCloneError");
  };

  function structuredClone(value, options) {
    if (arguments.length === 0) throw new TypeError("`structuredClone` expects 1 argument");
    if (options?.transfer?.length) throw fail("`structuredClone` has no transfer in this sandbox: leave `transfer` out", "DataCloneError");
    return clone(value, new P.Map());
  }

  function clone(value, seen) {
    if (typeof value === "function" || typeof value === "symbol") throw refuse(value);
    if (typeof value !== "object" || value === null) return value;
    const known = P.MapGet(seen, value);
    if (known !== undefined) return known;
    const remember = (copy) => { P.MapSet(seen, value, copy); return copy; };
    const proto = P.getPrototypeOf(value);
    if (P.isArray(value)) {
      const copy = [];
      copy.length = value.length;
      return copyKeys(value, remember(copy), seen);
    }
    // Most values are plain; only the others are tested for built-in classes.
    if (proto === P.Object.prototype || proto === null) return copyKeys(value, remember({}), seen);
    const special = cloneBuiltin(value, seen, remember);
    return special === undefined ? copyKeys(value, remember({}), seen) : special;
  }

  function copyKeys(from, to, seen) {
    const keys = P.ownKeys(from);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (typeof key === "symbol" || !P.ObjectPropertyIsEnumerable(from, key)) continue;
      // Defined, not assigned: a key may be `__proto__`.
      P.defineProperty(to, key, { __proto__: null, value: clone(from[key], seen), writable: true, enumerable: true, configurable: true });
    }
    return to;
  }

  function cloneBuiltin(value, seen, remember) {
    const tag = P.isView(value) ? P.TypedTag(value) : undefined;
    if (tag !== undefined) {
      const buffer = clone(P.TypedBuffer(value), seen);
      return remember(new typedArrays[tag](buffer, P.TypedOffset(value), P.TypedLength(value)));
    }
    if (P.isView(value)) return remember(new P.DataView(clone(P.ViewBuffer(value), seen), P.ViewOffset(value), P.ViewLength(value)));
    if (is(P.BufferLength, value)) return remember(P.ArrayBufferSlice(value, 0));
    if (is(P.DateGetTime, value)) return remember(new P.Date(P.DateGetTime(value)));
    if (is(P.MapSize, value)) {
      const copy = remember(new P.Map());
      const entries = [];
      P.MapForEach(value, (item, key) => { entries[entries.length] = key; entries[entries.length] = item; });
      for (let i = 0; i < entries.length; i += 2) P.MapSet(copy, clone(entries[i], seen), clone(entries[i + 1], seen));
      return copy;
    }
    if (is(P.SetSize, value)) {
      const copy = remember(new P.Set());
      const entries = [];
      P.SetForEach(value, (item) => { entries[entries.length] = item; });
      for (let i = 0; i < entries.length; i++) P.SetAdd(copy, clone(entries[i], seen));
      return copy;
    }
    if (value instanceof P.Error) return cloneError(value, seen, remember);
    if (value instanceof P.RegExp) return remember(new P.RegExp(P.RegExpSource(value), P.RegExpFlags(value)));
    if (is(P.NumberValueOf, value)) return remember(P.Object(P.NumberValueOf(value)));
    if (is(P.StringValueOf, value)) return remember(P.Object(P.StringValueOf(value)));
    if (is(P.BooleanValueOf, value)) return remember(P.Object(P.BooleanValueOf(value)));
    if (is(P.BigIntValueOf, value)) return remember(P.Object(P.BigIntValueOf(value)));
    const uncloneable = is(P.SymbolValueOf, value) || value instanceof P.Promise || value instanceof WeakMap
      || value instanceof WeakSet || value instanceof WeakRef;
    if (uncloneable) throw refuse(value);
    return undefined;
  }

  function cloneError(value, seen, remember) {
    const Type = errorTypes[value.name] ?? P.Error;
    const copy = remember(new Type());
    for (const key of ["message", "stack", "cause"]) {
      const own = P.getOwnPropertyDescriptor(value, key);
      if (own === undefined && key !== "stack") continue;
      const data = key === "cause" ? clone(value.cause, seen) : `${value[key] ?? ""}`;
      P.defineProperty(copy, key, { __proto__: null, value: data, writable: true, enumerable: false, configurable: true });
    }
    return copy;
  }

  // ---- Buffer

  const encodings = {
    __proto__: null, utf8: "utf8", "utf-8": "utf8", base64: "base64", base64url: "base64url", hex: "hex",
    latin1: "latin1", binary: "latin1", ascii: "ascii", utf16le: "utf16le", "utf-16le": "utf16le", ucs2: "utf16le", "ucs-2": "utf16le",
  };
  const encodingOf = (name) => {
    const found = encodings[P.StringToLowerCase(`${name ?? "utf8"}`)];
    if (found === undefined) throw new TypeError(`Unknown encoding: ${name}`);
    return found;
  };

  function textToBytes(text, encoding) {
    switch (encodingOf(encoding)) {
      case "base64": case "base64url": return fromBase64(text, Buffer);
      case "hex": {
        const out = new Buffer(text.length >> 1);
        for (let i = 0; i < out.length; i++) {
          const pair = StringSlice(text, i * 2, i * 2 + 2);
          if (!/^[0-9a-f]{2}$/i.test(pair)) return out.subarray(0, i); // as in Node: up to the first bad pair
          out[i] = parseInt(pair, 16);
        }
        return out;
      }
      case "latin1": case "ascii": return latinBytes(text, Buffer);
      case "utf16le": {
        const out = new Buffer(text.length * 2);
        for (let i = 0; i < text.length; i++) {
          const c = text.charCodeAt(i);
          out[i * 2] = c; out[i * 2 + 1] = c >> 8;
        }
        return out;
      }
      default: return encodeUtf8(text, Buffer);
    }
  }

  class Buffer extends P.Uint8Array {
    static from(value, encodingOrOffset, length) {
      if (typeof value === "string") return textToBytes(value, encodingOrOffset);
      if (value instanceof P.ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
      if (value?.type === "Buffer" && P.isArray(value.data)) value = value.data;
      if (typeof value !== "object" || value === null) {
        throw new TypeError("`Buffer.from` expects text, an array of bytes, an ArrayBuffer or a view on one");
      }
      const out = new Buffer(value.length >>> 0);
      for (let i = 0; i < out.length; i++) out[i] = value[i];
      return out;
    }
    static of(...bytes) { return Buffer.from(bytes); }
    static alloc(size, fill, encoding) {
      const out = new Buffer(size);
      return fill === undefined || fill === 0 ? out : out.fill(fill, encoding);
    }
    static allocUnsafe(size) { return new Buffer(size); }
    static isBuffer(value) { return value instanceof Buffer; }
    static isEncoding(name) { return typeof name === "string" && encodings[P.StringToLowerCase(name)] !== undefined; }
    static byteLength(value, encoding) {
      if (typeof value !== "string") return value.byteLength;
      return encodingOf(encoding) === "utf8" ? utf8Length(value) : textToBytes(value, encoding).length;
    }
    static concat(list, total) {
      let size = 0;
      for (const part of list) size += part.length;
      const out = new Buffer(total ?? size);
      let at = 0;
      for (const part of list) {
        if (at >= out.length) break;
        out.set(part.length > out.length - at ? part.subarray(0, out.length - at) : part, at);
        at += part.length;
      }
      return out;
    }
    static compare(a, b) {
      for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
      return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
    }
    toString(encoding, start = 0, end = this.length) {
      const bytes = start === 0 && end >= this.length ? this : this.subarray(P.max(start, 0), P.max(end, 0));
      switch (encodingOf(encoding)) {
        case "base64": return toBase64(bytes, false);
        case "base64url": return toBase64(bytes, true);
        case "hex": {
          let text = "";
          for (let i = 0; i < bytes.length; i++) text += (bytes[i] < 16 ? "0" : "") + bytes[i].toString(16);
          return text;
        }
        case "ascii": return decodeLatin(bytes.map((b) => b & 127), false);
        case "latin1": return decodeLatin(bytes, false);
        case "utf16le": {
          const units = [];
          for (let i = 0; i + 1 < bytes.length; i += 2) units[i / 2] = bytes[i] | bytes[i + 1] << 8;
          return unitsToText(units, units.length);
        }
        default: return decodeUtf8(bytes, { need: 0, seen: 0, point: 0, lower: 0, upper: 0 }, false, true);
      }
    }
    toJSON() { return { type: "Buffer", data: Array.from(this) }; }
    equals(other) { return Buffer.compare(this, other) === 0; }
    compare(other) { return Buffer.compare(this, other); }
    slice(start, end) { return this.subarray(start, end); } // shares memory, as in Node
    write(text, offset = 0, length = this.length - offset, encoding = "utf8") {
      if (typeof offset === "string") { encoding = offset; offset = 0; length = this.length; }
      const target = this.subarray(offset, offset + length);
      if (encodingOf(encoding) === "utf8") return writeUtf8(text, target, 0).written;
      const bytes = textToBytes(text, encoding).subarray(0, target.length);
      target.set(bytes);
      return bytes.length;
    }
    copy(target, at = 0, start = 0, end = this.length) {
      const part = this.subarray(start, P.min(end, start + target.length - at));
      target.set(part, at);
      return part.length;
    }
    fill(value, start, end, encoding) {
      if (typeof value !== "string") return super.fill(value, typeof start === "string" ? 0 : start, end);
      const bytes = textToBytes(value, typeof start === "string" ? start : encoding);
      const stop = end ?? this.length;
      for (let i = typeof start === "number" ? start : 0, n = 0; i < stop; i++, n++) this[i] = bytes.length ? bytes[n % bytes.length] : 0;
      return this;
    }
    indexOf(value, from = 0, encoding = "utf8") {
      if (typeof value === "number") return super.indexOf(value & 255, from);
      const bytes = typeof value === "string" ? textToBytes(value, encoding) : value;
      for (let i = from; i + bytes.length <= this.length; i++) {
        let n = 0;
        while (n < bytes.length && this[i + n] === bytes[n]) n++;
        if (n === bytes.length) return i;
      }
      return -1;
    }
    includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; }
    [Symbol.for("nodejs.util.inspect.custom")]() {
      const shown = Array.from(this.subarray(0, 50), (b) => (b < 16 ? "0" : "") + b.toString(16)).join(" ");
      const more = this.length - 50;
      return `<Buffer${shown && " "}${shown}${more > 0 ? ` ... ${more} more byte${more > 1 ? "s" : ""}` : ""}>`;
    }
  }
  // readUInt16LE, writeDoubleBE and so on, from the methods of DataView.
  for (const [name, type, size] of [["UInt8", "Uint8", 1], ["Int8", "Int8", 1], ["UInt16", "Uint16", 2], ["Int16", "Int16", 2], ["UInt32", "Uint32", 4],
    ["Int32", "Int32", 4], ["Float", "Float32", 4], ["Double", "Float64", 8], ["BigUInt64", "BigUint64", 8], ["BigInt64", "BigInt64", 8]]) {
    const get = P.uncurry(P.DataView.prototype[`get${type}`]);
    const set = P.uncurry(P.DataView.prototype[`set${type}`]);
    for (const order of size === 1 ? [""] : ["LE", "BE"]) {
      const little = order === "LE";
      const view = (b) => new P.DataView(b.buffer, b.byteOffset, b.byteLength);
      const add = (key, value) => P.defineProperty(Buffer.prototype, key, { __proto__: null, value, writable: true, configurable: true });
      add(`read${name}${order}`, function (offset = 0) { return get(view(this), offset, little); });
      add(`write${name}${order}`, function (value, offset = 0) { set(view(this), offset, value, little); return offset + size; });
    }
  }

  return { TextEncoder, TextDecoder, atob, btoa, structuredClone, DOMException, Buffer, encodeUtf8, decodeUtf8: (bytes) =>
    decodeUtf8(bytes, { need: 0, seen: 0, point: 0, lower: 0, upper: 0 }, false, true) };
})
