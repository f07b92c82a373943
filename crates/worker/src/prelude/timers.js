// setTimeout, setInterval, setImmediate, their clear functions, and queueMicrotask if missing.
//
// In: `host.setTimer(id, delayMs)` arms a one-shot timer, `host.clearTimer(id)` disarms it.
// Out: the globals, `host.timers` for other files, and the function `fire(id)`, which the host
// calls when a timer is due. `fire` throws whatever a callback throws.
// Not supported: the order of timers (the host's task), Node's Timeout objects (an id is a
// number), text as a handler.
(function (host) {
  "use strict";
  const { setTimer, clearTimer, define } = host;
  const { trunc } = Math;
  const { apply } = Reflect;
  const pending = new Map();
  const get = pending.get.bind(pending);
  const set = pending.set.bind(pending);
  const remove = pending.delete.bind(pending);
  const MAX_DELAY = 2 ** 31 - 1;
  let lastId = 0;

  const toDelay = (value, least) => {
    const ms = trunc(Number(value));
    return ms >= least ? (ms > MAX_DELAY ? MAX_DELAY : ms) : least; // NaN takes `least`
  };
  const start = (name, callback, delay, repeat, args) => {
    if (typeof callback !== "function") {
      throw new TypeError(`\`${name}\` expects a function as its first argument, got ${callback === null ? "null" : typeof callback}`);
    }
    const id = ++lastId;
    set(id, { callback, delay, repeat, args });
    setTimer(id, delay);
    return id;
  };
  const clear = (id) => {
    if (typeof id === "string") id = Number(id);
    if (remove(id)) clearTimer(id);
  };
  const fire = (id) => {
    const timer = get(id);
    if (timer === undefined) return;
    // Armed again before the call, so that the callback can clear its own interval.
    if (timer.repeat) setTimer(id, timer.delay); else remove(id);
    apply(timer.callback, undefined, timer.args);
  };

  const timers = {
    setTimeout(callback, delay, ...args) { return start("setTimeout", callback, toDelay(delay, 0), false, args); },
    // At least 1 ms, as in Node: an interval of 0 would starve everything else.
    setInterval(callback, delay, ...args) { return start("setInterval", callback, toDelay(delay, 1), true, args); },
    setImmediate(callback, ...args) { return start("setImmediate", callback, 0, false, args); },
    clearTimeout(id) { clear(id); },
    clearInterval(id) { clear(id); },
    clearImmediate(id) { clear(id); },
  };
  // The result of `util.promisify(setTimeout)`.
  const promisify = Symbol.for("nodejs.util.promisify.custom");
  timers.setTimeout[promisify] = (delay, value) => new Promise((done) => { timers.setTimeout(done, delay, value); });
  timers.setImmediate[promisify] = (value) => new Promise((done) => { timers.setImmediate(done, value); });
  for (const name in timers) define(name, timers[name]);

  if (typeof queueMicrotask !== "function") {
    const done = Promise.resolve();
    const then = done.then.bind(done);
    define("queueMicrotask", function queueMicrotask(callback) {
      if (typeof callback !== "function") throw new TypeError("`queueMicrotask` expects a function");
      then(() => { callback(); });
    });
  }
  timers.queueMicrotask = queueMicrotask;
  host.timers = timers;
  return fire;
})
