// Node's part of the engine child: reads, writes and reports failures.
//
// On Node's command line. In: our script as the first frame on standard input;
// see bootstrap.js for its arguments. The functions are saved here, before any
// program can change them.
"use strict";
const { readSync, writeSync } = require("fs");
const { Script } = require("vm");
const later = setImmediate;
// The global of this name will be replaced.
const engine = process;
const listen = engine.on.bind(engine);
const io = {
  read: (bytes) => readSync(0, bytes),
  write: (bytes) => writeSync(1, bytes),
  exit: () => engine.reallyExit(1),
  later: (work) => { later(work); },
  // Not `eval`: a script compiled like this has no loader for `import()`.
  compile: (source, filename) => new Script(source, { filename }).runInThisContext(),
  watch({ rejected, handled, threw, idle }) {
    listen("unhandledRejection", (reason, promise) => rejected(promise, reason));
    listen("rejectionHandled", handled);
    listen("uncaughtException", threw);
    listen("beforeExit", idle);
  },
};
const fill = (bytes) => {
  for (let at = 0; at < bytes.length;) {
    const count = io.read(bytes.subarray(at));
    if (count === 0) io.exit();
    at += count;
  }
  return bytes;
};
const length = new DataView(fill(new Uint8Array(4)).buffer).getUint32(0, true);
const script = io.compile(new TextDecoder().decode(fill(new Uint8Array(length)).subarray(5)), "tidegate:bootstrap");
// Node resets its globals after this script has ended.
later(script, io);
