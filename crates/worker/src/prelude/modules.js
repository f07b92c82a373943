// The Node modules that the prelude itself provides, by name.
//
// In: `host.use`, the prelude files. Out: a function from a module name (with or without
// "node:") to its object, the same one each time, or undefined if the prelude has none.
// Not here: `fs` and everything else that needs the host; see `host.importModule`.
(function (host) {
  "use strict";
  const { use, timers } = host;
  const noHash = (name) => () => {
    throw new Error(`\`crypto.${name}\` is not available in the sandbox: use a tool of a server for hashes and keys`);
  };
  const global = (name, file) => globalThis[name] ?? use(file)[name];

  const makers = {
    __proto__: null,
    "path": () => use("path"),
    "path/posix": () => use("path"),
    "util": () => use("util"),
    "util/types": () => use("util").types,
    "assert": () => use("assert"),
    "assert/strict": () => use("assert").strict,
    "events": () => use("events"),
    "process": () => host.process,
    "perf_hooks": () => ({ performance: global("performance", "crypto_intl") }),
    "timers": () => ({ ...timers }),
    "timers/promises": () => ({
      setTimeout: (delay, value) => new Promise((done) => { timers.setTimeout(done, delay, value); }),
      setImmediate: (value) => new Promise((done) => { timers.setImmediate(done, value); }),
    }),
    "buffer": () => ({ Buffer: use("encoding").Buffer, atob: global("atob", "encoding"), btoa: global("btoa", "encoding") }),
    "url": () => {
      const { URL, URLSearchParams } = use("url");
      return {
        URL, URLSearchParams,
        fileURLToPath(value) {
          const url = new URL(value);
          if (url.protocol !== "file:") throw new TypeError("The URL must be of scheme file");
          return decodeURIComponent(url.pathname);
        },
        pathToFileURL(path) {
          const url = new URL("file:///");
          url.pathname = use("path").resolve(path).replace(/[%\\\n\r\t]/g, encodeURIComponent);
          return url;
        },
      };
    },
    "crypto": () => {
      const { crypto } = use("crypto_intl");
      const randomBytes = (n) => use("encoding").Buffer.from(host.randomBytes(n));
      return {
        randomUUID: crypto.randomUUID, getRandomValues: crypto.getRandomValues, webcrypto: crypto, randomBytes,
        randomInt(low, high) {
          if (high === undefined) { high = low; low = 0; }
          return low + Math.floor(randomBytes(6).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 48 * (high - low));
        },
        createHash: noHash("createHash"), createHmac: noHash("createHmac"),
      };
    },
  };
  const made = { __proto__: null };
  return (name) => {
    const bare = name.startsWith("node:") ? name.slice(5) : name;
    const make = makers[bare];
    return make === undefined ? undefined : made[bare] ??= make();
  };
})
