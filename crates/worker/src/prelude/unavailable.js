// Globals that programs written for a browser or for Node expect.
//
// In: `host.importModule(name)` for `require` of modules that the prelude does not have,
// `host.log`, `host.now`. Out: `XMLHttpRequest`, `WebSocket` (both throw on use, with a
// hint), `require`, a minimal `process`, `global`, `self`.
// `Deno`, `Bun`, `window`, `document`, `localStorage` stay undefined, since programs
// test for them to find out where they run.
(function (host) {
  "use strict";
  const { define, log, now, importModule, module, timers } = host;
  const { apply, defineProperty } = host.prim;
  const { floor } = Math;

  for (const name of ["XMLHttpRequest", "WebSocket"]) {
    const stub = function () {
      throw new Error(`\`${name}\` is not available in the sandbox: use \`fetch\`, or call a tool of a server`);
    };
    defineProperty(stub, "name", { __proto__: null, value: name, configurable: true });
    define(name, stub);
  }

  define("require", function require(name) {
    if (typeof name !== "string") throw new TypeError(`\`require\` expects a module name as text, got ${typeof name}`);
    return module(name) ?? importModule(name);
  });

  const hrtime = (since) => {
    const ms = now();
    let seconds = floor(ms / 1000);
    let nanos = floor((ms % 1000) * 1e6);
    if (since) {
      seconds -= since[0];
      nanos -= since[1];
      if (nanos < 0) { seconds -= 1; nanos += 1e9; }
    }
    return [seconds, nanos];
  };
  hrtime.bigint = () => BigInt(floor(now() * 1e6));
  const stream = (level) => ({ write(text) { log(level, `${text}`); return true; }, isTTY: false });
  const process = {
    env: Object.freeze({}), argv: [], platform: "linux", version: "v0.0.0", versions: {}, pid: 1, exitCode: undefined,
    cwd: () => "/", uptime: () => now() / 1000, hrtime,
    nextTick(callback, ...args) { timers.queueMicrotask(() => { apply(callback, undefined, args); }); },
    exit() { throw new Error("`process.exit` is not available: use `return`"); },
    stdout: stream("log"), stderr: stream("error"),
    // Programs register handlers for signals and for the exit, which never occur here.
    on() { return process; }, once() { return process; }, off() { return process; }, emitWarning(text) { log("warn", `${text}`); },
  };
  host.process = process;
  define("process", process);
  define("global", globalThis);
  define("self", globalThis);
})
