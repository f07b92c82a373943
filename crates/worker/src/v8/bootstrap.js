// The event loop of a program in Deno or Node, and the globals it sees.
//
// In: `io`, functions of the engine (deno.js, node.js), and `scripts`, the same
// api.js and prelude that QuickJS gets. Out: frames to the worker, as in
// crates/wire/src/engine.rs; the last one says how the program ended.
//
// All communication with the worker is synchronous: after sending a frame that
// gets an answer, we block until the answer arrives. So `servers.x` can ask in the
// middle of an expression, and no second thread is needed. Between two waits the
// engine's own loop gets a turn, for what only it can finish (`crypto.subtle`,
// WebAssembly); a wait grows from 0 to LONGEST_WAIT, so that this costs little.
//
// Not a security boundary: a program can modify all of this and gains nothing, since
// the worker and the gateway check each frame. Built-ins are saved before it runs, so
// that it cannot break us by accident.
(function (io, scripts) {
  "use strict";
  const LONGEST_WAIT = 16; // ms
  const MOST_REPLIES = 64; // in one turn
  const LOG_PIECE = 32 * 1024; // characters; one frame per line would cost a wake-up each
  const LOG_DELAY = 5; // ms; text printed later than this after the last piece is sent immediately
  const QUESTIONS = { __proto__: null, servers: 1, functions: 2, search: 3, readDir: 4, readFile: 5, loadSkill: 6, saveSkill: 7, pii: 8 };
  const LEVELS = { __proto__: null, log: 1, info: 1, debug: 1, warn: 2, error: 3 };
  const PHASES = { __proto__: null, compile: 1, run: 2, rejection: 3, output: 4 };

  const { defineProperty, deleteProperty, ownKeys } = Reflect;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const NativePromise = Promise;
  const { stringify } = JSON;
  const { max, min, floor } = Math;
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const set = uncurry(typedArray.set);
  const subarray = uncurry(typedArray.subarray);
  const lengthOf = uncurry(Object.getOwnPropertyDescriptor(typedArray, "length").get);
  const sliceBuffer = uncurry(ArrayBuffer.prototype.slice);
  const setUint32 = uncurry(DataView.prototype.setUint32);
  const getUint32 = uncurry(DataView.prototype.getUint32);
  const encode = TextEncoder.prototype.encode.bind(new TextEncoder());
  const decode = TextDecoder.prototype.decode.bind(new TextDecoder("utf-8", { ignoreBOM: true }));
  const splice = uncurry(Array.prototype.splice);
  const pop = uncurry(Array.prototype.pop);
  const includes = uncurry(Set.prototype.has);
  const clock = performance.now.bind(performance);
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  const { Uint8Array: Bytes, DataView: View, Map: NativeMap } = globalThis;

  // --- frames to the worker -------------------------------------------------

  let out = new Bytes(64 * 1024);
  let view = new View(out.buffer);
  let size = 0;
  const room = (count) => {
    if (size + count <= lengthOf(out)) return;
    const larger = new Bytes(max(size + count, lengthOf(out) * 2));
    set(larger, subarray(out, 0, size));
    out = larger;
    view = new View(out.buffer);
  };
  const u8 = (value) => { room(1); out[size++] = value; };
  const u32 = (value) => { room(4); setUint32(view, size, value, true); size += 4; };
  // Truncated to `most` bytes at a character boundary: the worker ends the run if it gets more.
  const text = (value, most = Infinity) => {
    const bytes = encode(value);
    let length = lengthOf(bytes);
    if (length > most) for (length = most; (bytes[length] & 0xc0) === 0x80;) length--;
    u32(length);
    room(length);
    set(out, subarray(bytes, 0, length), size);
    size += length;
  };
  const optional = (value) => {
    u8(value === undefined ? 0 : 1);
    if (value !== undefined) text(value);
  };
  const begin = (kind) => { size = 4; u8(kind); };
  const end = () => {
    setUint32(view, 0, size - 4, true);
    for (let at = 0; at < size;) at += io.write(subarray(out, at, size));
    if (lengthOf(out) > 1 << 20) { out = new Bytes(64 * 1024); view = new View(out.buffer); }
  };

  const fill = (bytes) => {
    for (let at = 0, length = lengthOf(bytes); at < length;) {
      const count = io.read(subarray(bytes, at));
      if (count === 0) io.exit(); // the worker is gone
      at += count;
    }
    return bytes;
  };
  // `{ kind, id, ok, text }`; only a reply has an id.
  const receive = () => {
    const header = fill(new Bytes(4));
    const body = fill(new Bytes(getUint32(new View(header.buffer), 0, true)));
    const kind = body[0];
    const fields = new View(body.buffer);
    if (kind === 4) return { __proto__: null, kind };
    const at = kind === 3 ? 6 : 1;
    return {
      __proto__: null, kind, text: decode(subarray(body, at + 4)),
      id: kind === 3 ? getUint32(fields, 1, true) : 0, ok: kind === 3 && body[5] === 1,
    };
  };

  // --- printed text ---------------------------------------------------------

  let level = 0;
  let printed = "";
  let flushed = -Infinity;
  const flush = () => {
    if (level === 0) return;
    begin(4); u8(level); text(printed); end();
    level = 0;
    printed = "";
    flushed = clock();
  };
  const print = (name, line) => {
    const wanted = LEVELS[name] ?? 1;
    if (level !== wanted) flush();
    printed = level === 0 ? `${line}` : `${printed}\n${line}`;
    level = wanted;
    if (printed.length >= LOG_PIECE || clock() - flushed > LOG_DELAY) flush();
  };

  // --- timers: due time, then order of creation ------------------------------

  const queue = []; // the next one is the last
  const live = new NativeMap();
  const [getLive, setLive, dropLive] = ["get", "set", "delete"].map((name) => NativeMap.prototype[name].bind(live));
  const setTimer = (id, delay) => {
    const timer = { __proto__: null, id, due: clock() + max(0, delay) };
    let low = 0;
    for (let high = queue.length; low < high;) {
      const middle = floor((low + high) / 2);
      if (queue[middle].due > timer.due) low = middle + 1; else high = middle;
    }
    splice(queue, low, 0, timer);
    setLive(id, timer);
    arm();
  };
  const nextTimer = () => {
    for (;;) {
      const timer = queue[queue.length - 1];
      if (timer === undefined || getLive(timer.id) === timer) return timer;
      pop(queue);
    }
  };

  // --- the host object of api.js and the prelude ------------------------------

  let inFlight = 0;
  let started = clock();
  const request = (kind, id, write) => {
    flush();
    begin(kind); u32(id); write(); end();
    inFlight++;
    arm();
  };
  const host = {
    log: print,
    call: (id, name, input, raw) => request(2, id, () => { text(name, 512); text(input); u8(raw ? 1 : 0); }),
    fetch: (id, body) => request(7, id, () => { text(body); }),
    command: (id, name, body) => request(8, id, () => { text(name, 512); text(body); }),
    ask(question, body) {
      flush();
      begin(3); u32(0); u8(QUESTIONS[question] ?? QUESTIONS.readFile); text(body, (question === "saveSkill" ? 512 : 64) * 1024); end();
      const { ok, text: answer } = receive();
      return [ok, answer];
    },
    nearest(name, candidates) {
      flush();
      begin(66); text(name, 512); text(stringify(candidates)); end();
      return receive().text;
    },
    setTimer,
    clearTimer: (id) => { dropLive(id); },
    now: () => clock() - started,
    randomBytes: (count) => getRandomValues(new Bytes(min(count, 65536))).buffer,
    utf8Encode(value) {
      const bytes = encode(value);
      return sliceBuffer(bytes.buffer, bytes.byteOffset, bytes.byteOffset + lengthOf(bytes));
    },
    utf8Decode: (buffer, start, length) => decode(new Bytes(buffer, start, length)),
    load: (name) => io.compile(scripts.lazy[name], `tidegate:${name}`)(host),
  };

  // --- globals ----------------------------------------------------------------

  // The language, globals that QuickJS programs have too, and some that only large engines
  // have. The rest is removed: programs test for `Deno` and the like to find out where they run.
  const kept = new Set(`Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol
    Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError
    SuppressedError globalThis JSON Math Intl Temporal ArrayBuffer SharedArrayBuffer Atomics DataView Uint8Array Int8Array
    Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array
    BigInt64Array Map BigInt Set Iterator WeakMap WeakSet WeakRef FinalizationRegistry Proxy Reflect DisposableStack
    AsyncDisposableStack decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN
    URL URLSearchParams TextEncoder TextDecoder atob btoa structuredClone DOMException crypto performance queueMicrotask
    AbortController AbortSignal Event CustomEvent EventTarget
    WebAssembly Blob ReadableStream WritableStream TransformStream CompressionStream DecompressionStream`.split(/\s+/));
  for (const name of ownKeys(globalThis)) {
    if (typeof name === "string" && !includes(kept, name)) deleteProperty(globalThis, name);
  }
  const { settle, finish, encodeOutput, port, importModule, requestOf } = io.compile(scripts.api, "tidegate:api")(host);
  host.importModule = importModule;
  let fire;
  for (const [name, source] of scripts.eager) {
    const made = io.compile(source, `tidegate:${name}`)(host);
    if (name === "timers") fire = made;
  }

  // --- outcome ------------------------------------------------------------------

  let ended = false;
  let draining; // resolves once no call is in flight
  const rejections = new NativeMap();
  const [setRejection, dropRejection] = ["set", "delete"].map((name) => NativeMap.prototype[name].bind(rejections));
  const firstRejection = () => { for (const [, reason] of rejections) return { reason }; };
  const finally_ = (kind, write) => {
    if (ended) return;
    flush();
    begin(kind); write?.(); end();
    ended = true;
  };
  const threw = (error, phase = "run") => {
    if (ended) return;
    const isObject = (typeof error === "object" && error !== null) || typeof error === "function";
    const shown = (look) => {
      try {
        const value = look();
        return value === undefined || value === null ? undefined : `${value}`;
      } catch { return undefined; }
    };
    const asText = isObject ? undefined : shown(() => `${error}`);
    const [name, message] = isObject ? [shown(() => error.name), shown(() => error.message)] : [];
    const request = isObject ? requestOf(error) : 0;
    const [hint, stack] = isObject ? [shown(() => error.hint), shown(() => error.stack)] : [];
    finally_(68, () => {
      u8(PHASES[phase]); u8(isObject ? 1 : 0);
      optional(asText); optional(name); optional(message); u32(request >>> 0); optional(hint); optional(stack);
    });
  };
  io.watch({
    rejected: (promise, reason) => { setRejection(promise, reason); },
    handled: (promise) => { dropRejection(promise); },
    threw: (error) => { threw(error); },
    // Neither the engine nor this script has anything left to do.
    idle: () => { finally_(69); },
  });

  // --- the event loop -------------------------------------------------------------

  let armed = false;
  let patience = 0;
  function arm() {
    if (armed) return;
    armed = true;
    io.later(turn);
  }
  // One turn, after all promise jobs have run: fires a due timer, else handles the next reply.
  function turn() {
    armed = false;
    if (ended) return;
    try {
      const timer = draining ? undefined : nextTimer();
      const left = timer === undefined ? LONGEST_WAIT : timer.due - clock();
      if (timer !== undefined && left <= 0) {
        pop(queue);
        dropLive(timer.id);
        patience = 0;
        fire(timer.id);
      } else if (timer === undefined && inFlight === 0) {
        // Without another turn the engine's loop ends, unless it has work of its own.
        flush();
        draining?.();
        return;
      } else if (wait(min(left, patience))) {
        // Replies that have already arrived share this turn: a turn costs more than a reply.
        for (let more = MOST_REPLIES; more > 0 && inFlight > 0 && wait(0);) more--;
      }
    } catch (error) {
      threw(error);
    }
    arm();
  }
  // Waits for a reply; returns whether one arrived.
  function wait(milliseconds) {
    flush();
    begin(65); u32(milliseconds + 0.999); end();
    const { kind, id, ok, text: answer } = receive();
    if (kind === 4) {
      patience = min(LONGEST_WAIT, patience * 2 + 1);
      return false;
    }
    patience = 0;
    inFlight--;
    settle(id, ok, answer);
    return true;
  }

  // `await` looks up `constructor` on a promise; the program cannot change an own property.
  const own = (promise) => {
    defineProperty(promise, "constructor", { __proto__: null, value: NativePromise });
    return promise;
  };
  async function drive(program) {
    let output;
    try {
      const returned = await own(program(port));
      output = await own(finish(returned));
      // Calls that are not awaited must still complete.
      await own(new NativePromise((done) => { draining = done; arm(); }));
    } catch (error) {
      threw(error);
      return;
    }
    // And their failures must be reported.
    const rejection = firstRejection();
    if (rejection) {
      threw(rejection.reason, "rejection");
      return;
    }
    let encoded;
    try {
      encoded = encodeOutput(output);
    } catch (error) {
      threw(error, "output");
      return;
    }
    finally_(67, () => optional(encoded));
  }

  begin(64); end();
  const source = receive().text;
  started = clock();
  let program;
  try {
    program = io.compile(source, "program.ts");
  } catch (error) {
    threw(error, "compile");
    return;
  }
  arm();
  drive(program);
})
