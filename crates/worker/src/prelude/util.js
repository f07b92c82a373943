// The part of Node's `util` module that programs use.
//
// In: `host.use("inspect")`, the lazy globals. Out: the module object.
// Not supported: `util.parseArgs`, `util.styleText`, `util.types.isProxy`, `isExternal` etc.
(function (host) {
  "use strict";
  const P = host.prim;
  const { inspect, format } = host.use("inspect");
  const promisifyCustom = Symbol.for("nodejs.util.promisify.custom");
  const proved = (proof) => (value) => {
    try { proof(value); return true; } catch { return false; }
  };
  const tagged = (tag) => (value) => (typeof value === "object" || typeof value === "function") && value !== null
    && Object.prototype.toString.call(value) === `[object ${tag}]`;

  const types = {
    isMap: proved(P.MapSize), isSet: proved(P.SetSize), isDate: proved(P.DateGetTime),
    isRegExp: (value) => value instanceof RegExp, isPromise: (value) => value instanceof Promise,
    isNativeError: (value) => value instanceof Error, isArrayBuffer: proved(P.BufferLength), isAnyArrayBuffer: proved(P.BufferLength),
    isArrayBufferView: (value) => ArrayBuffer.isView(value), isDataView: proved(P.ViewLength),
    isTypedArray: (value) => ArrayBuffer.isView(value) && P.TypedTag(value) !== undefined,
    isUint8Array: (value) => ArrayBuffer.isView(value) && P.TypedTag(value) === "Uint8Array",
    isWeakMap: (value) => value instanceof WeakMap, isWeakSet: (value) => value instanceof WeakSet,
    isAsyncFunction: tagged("AsyncFunction"), isGeneratorFunction: tagged("GeneratorFunction"), isGeneratorObject: tagged("Generator"),
    isBoxedPrimitive: (value) => typeof value === "object" && value !== null
      && [P.NumberValueOf, P.StringValueOf, P.BooleanValueOf, P.SymbolValueOf, P.BigIntValueOf].some((proof) => proved(proof)(value)),
  };

  function promisify(original) {
    if (typeof original !== "function") throw new TypeError('The "original" argument must be of type function');
    if (original[promisifyCustom]) return original[promisifyCustom];
    return function (...args) {
      return new Promise((resolve, reject) => {
        original.call(this, ...args, (error, value) => error ? reject(error) : resolve(value));
      });
    };
  }
  promisify.custom = promisifyCustom;

  function callbackify(original) {
    return function (...args) {
      const done = args.pop();
      original.apply(this, args).then((value) => queueMicrotask(() => done(null, value)), (error) => queueMicrotask(() => done(error)));
    };
  }

  // `strict` compares with Object.is and prototypes, else with ==; `seen` holds pairs in progress.
  function isEqual(a, b, strict, seen) {
    if (strict ? Object.is(a, b) : a == b || a !== a && b !== b) return true; // eslint-disable-line eqeqeq
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (seen.get(a) === b) return true;
    seen.set(a, b);
    try {
      return sameContents(a, b, strict, seen);
    } finally {
      seen.delete(a);
    }
  }

  function sameContents(a, b, strict, seen) {
    const equal = (x, y) => isEqual(x, y, strict, seen);
    if (Array.isArray(a) !== Array.isArray(b) || Array.isArray(a) && a.length !== b.length) return false;
    for (const test of [types.isDate, types.isMap, types.isSet, types.isRegExp, types.isNativeError, types.isArrayBuffer, ArrayBuffer.isView, types.isBoxedPrimitive]) {
      if (test(a) !== test(b)) return false;
    }
    if (types.isDate(a) && !Object.is(P.DateGetTime(a), P.DateGetTime(b))) return false;
    if (types.isRegExp(a) && (String(a) !== String(b) || a.lastIndex !== b.lastIndex)) return false;
    if (types.isNativeError(a) && (a.name !== b.name || a.message !== b.message || !equal(a.cause, b.cause))) return false;
    if (types.isBoxedPrimitive(a) && !Object.is(a.valueOf(), b.valueOf())) return false;
    if (types.isPromise(a) || types.isWeakMap(a) || types.isWeakSet(a)) return false;
    if (types.isArrayBuffer(a)) return sameContents(new Uint8Array(a), new Uint8Array(b), strict, seen);
    if (types.isDataView(a)) return types.isDataView(b) && a.byteLength === b.byteLength
      && sameContents(new Uint8Array(a.buffer, a.byteOffset, a.byteLength), new Uint8Array(b.buffer, b.byteOffset, b.byteLength), strict, seen);
    if (ArrayBuffer.isView(a)) return P.TypedTag(a) === P.TypedTag(b) && a.length === b.length && a.every((value, i) => strict ? Object.is(value, b[i]) : value === b[i]);
    if (types.isMap(a) && !sameEntries([...a], [...b], equal)) return false;
    if (types.isSet(a) && !sameEntries([...a].map((value) => [value, 0]), [...b].map((value) => [value, 0]), equal)) return false;
    const keys = (value) => Reflect.ownKeys(value).filter((key) => (strict || typeof key === "string") && Object.prototype.propertyIsEnumerable.call(value, key));
    const names = keys(a);
    return names.length === keys(b).length && names.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && equal(a[key], b[key]));
  }

  // Entries may be in any order, and a key may be an object.
  function sameEntries(a, b, equal) {
    if (a.length !== b.length) return false;
    const byKey = new Map(b);
    const left = [];
    for (const [key, value] of a) {
      if (byKey.has(key) && equal(value, byKey.get(key))) byKey.delete(key);
      else left.push([key, value]);
    }
    const rest = [...byKey];
    return left.every(([key, value]) => {
      const at = rest.findIndex(([otherKey, other]) => equal(key, otherKey) && equal(value, other));
      if (at >= 0) rest.splice(at, 1);
      return at >= 0;
    });
  }

  return {
    inspect, promisify, callbackify, types, isDeepStrictEqual: (a, b) => isEqual(a, b, true, new Map()),
    isDeepEqual: (a, b) => isEqual(a, b, false, new Map()), // not in Node; `assert` uses it
    format: (...args) => format(args), formatWithOptions: (options, ...args) => format(args),
    inherits(child, parent) {
      Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
      Object.setPrototypeOf(child.prototype, parent.prototype);
    },
    deprecate: (fn) => fn, debuglog: () => () => {}, isArray: Array.isArray,
    stripVTControlCharacters: (text) => `${text}`.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ""),
    toUSVString: (text) => `${text}`.toWellFormed(),
    get TextEncoder() { return host.use("encoding").TextEncoder; },
    get TextDecoder() { return host.use("encoding").TextDecoder; },
  };
})
