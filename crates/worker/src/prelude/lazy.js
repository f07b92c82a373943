// Installs the globals that are built on first use, and the shared helpers of the prelude.
//
// In: `host.load(file)`, which evaluates another prelude file, calls it with this same `host`
// and returns the result. Evaluated first, since the other files need what it adds:
//   host.prim              built-ins as they were before the program ran
//   host.define(name, v)   installs a global like a real one (writable, not enumerable)
//   host.log               made safe for text with a lone surrogate
//   host.use(file)         `host.load`, once per file
//   host.domException(message, name)
//   host.module(name)      the object of a supported Node module, else undefined
// Out: lazy globals; a program that overwrites one keeps its own.
// A native global of the engine is never replaced.
(function (host) {
  "use strict";
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);

  // A program that breaks `Array.prototype` must still be able to log what it did, so the
  // formatter and the cloner call these copies, e.g. `StringSlice(text, 0, 5)`. One gap remains:
  // QuickJS compiles `${}` to a call of `String.prototype.concat`, looked up each time.
  const prim = {
    __proto__: null, apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, uncurry,
    isArray: Array.isArray, stringify: JSON.stringify, create: Object.create, is: Object.is,
    fromCharCode: String.fromCharCode, hasOwn: Object.hasOwn, isView: ArrayBuffer.isView,
    isInteger: Number.isInteger, min: Math.min, max: Math.max, floor: Math.floor,
    Map, Set, Date, RegExp, ArrayBuffer, DataView, Uint8Array, Object, Error, Symbol, String, Number, Promise,
  };
  const methods = {
    __proto__: null,
    Array: "join sort", String: "slice indexOf charCodeAt repeat padEnd split trim trimEnd toWellFormed toLowerCase toUpperCase",
    Map: "get set has forEach", Set: "has add forEach", Date: "getTime toISOString",
    RegExp: "toString", Symbol: "toString valueOf", Function: "toString", Number: "valueOf toString toFixed", Boolean: "valueOf",
    BigInt: "valueOf toString", ArrayBuffer: "slice", Object: "propertyIsEnumerable",
  };
  for (const type in methods) {
    const proto = globalThis[type].prototype;
    for (const name of methods[type].split(" ")) {
      prim[type + name[0].toUpperCase() + name.slice(1)] = uncurry(proto[name]);
    }
  }
  prim.StringValueOf = uncurry(String.prototype.valueOf);
  const getter = (proto, key) => uncurry(getOwnPropertyDescriptor(proto, key).get);
  const typed = getPrototypeOf(Uint8Array.prototype);
  prim.MapSize = getter(Map.prototype, "size");
  prim.SetSize = getter(Set.prototype, "size");
  prim.BufferLength = getter(ArrayBuffer.prototype, "byteLength");
  prim.TypedTag = getter(typed, Symbol.toStringTag);
  prim.TypedLength = getter(typed, "length");
  prim.TypedBuffer = getter(typed, "buffer");
  prim.TypedOffset = getter(typed, "byteOffset");
  prim.ViewBuffer = getter(DataView.prototype, "buffer");
  prim.ViewOffset = getter(DataView.prototype, "byteOffset");
  prim.ViewLength = getter(DataView.prototype, "byteLength");
  prim.RegExpSource = getter(RegExp.prototype, "source");
  prim.RegExpFlags = getter(RegExp.prototype, "flags");
  host.prim = prim;

  // A lone surrogate is not valid UTF-8, so converting it to a Rust string would fail.
  const send = host.log;
  host.log = (level, text) => send(level, prim.StringToWellFormed(text));

  const define = (name, value) => defineProperty(globalThis, name,
    { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  host.define = define;

  const load = host.load;
  const loaded = { __proto__: null };
  const use = (file) => loaded[file] ??= load(file);
  host.use = use;
  host.module = (name) => use("modules")(name);

  const NativeDOMException = globalThis.DOMException;
  host.domException = (message, name) =>
    new (NativeDOMException ?? use("encoding").DOMException)(message, name);

  const lazyGlobals = {
    __proto__: null,
    url: "URL URLSearchParams",
    encoding: "TextEncoder TextDecoder atob btoa structuredClone DOMException Buffer",
    crypto_intl: "crypto Intl performance",
    fetch: "fetch Headers Request Response",
    abort: "AbortController AbortSignal Event CustomEvent EventTarget",
  };
  const hadIntl = "Intl" in globalThis;
  for (const file in lazyGlobals) {
    for (const name of lazyGlobals[file].split(" ")) {
      if (name in globalThis) continue;
      defineProperty(globalThis, name, {
        __proto__: null, enumerable: false, configurable: true,
        get() { const value = use(file)[name]; define(name, value); return value; },
        set(value) { define(name, value); },
      });
    }
  }

  if (hadIntl) return;
  const localized = {
    __proto__: null, Number: "toLocaleString", BigInt: "toLocaleString", String: "localeCompare",
    Date: "toLocaleString toLocaleDateString toLocaleTimeString",
  };
  for (const type in localized) {
    for (const name of localized[type].split(" ")) {
      const { [name]: value } = {
        [name](a, b, c) { return use("crypto_intl").localized[type][name](this, a, b, c); },
      };
      defineProperty(globalThis[type].prototype, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    }
  }
})
