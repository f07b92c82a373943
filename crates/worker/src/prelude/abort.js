// Minimal Event, CustomEvent, EventTarget, AbortController and AbortSignal.
//
// In: `host.timers`, `host.domException`. Out: those classes, for the lazy globals.
// Not supported: capture and bubbling (there is no tree), passive listeners.
(function (host) {
  "use strict";
  const { timers, domException } = host;
  let begin; // set by Event: marks an event as being dispatched on a target
  let isStopped;

  class Event {
    #type; #cancelable; #prevented = false; #stopped = false; #target = null;
    static {
      begin = (event, target) => { event.#target = target; };
      isStopped = (event) => event.#stopped;
    }
    constructor(type, options = undefined) {
      if (arguments.length === 0) throw new TypeError("`Event` expects 1 argument");
      this.#type = `${type}`;
      this.#cancelable = !!options?.cancelable;
      this.timeStamp = host.now();
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get currentTarget() { return this.#target; }
    get cancelable() { return this.#cancelable; }
    get bubbles() { return false; }
    get defaultPrevented() { return this.#prevented; }
    preventDefault() { if (this.#cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#stopped = true; }
    get [Symbol.toStringTag]() { return "Event"; }
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, options = undefined) {
      super(type, options);
      this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
  }

  class EventTarget {
    #listeners = new Map();
    addEventListener(type, listener, options = undefined) {
      if (listener === null || listener === undefined) return;
      if (typeof listener !== "function" && typeof listener !== "object") throw new TypeError("`addEventListener` expects a function");
      const signal = typeof options === "object" ? options?.signal : undefined;
      if (signal?.aborted) return;
      const key = `${type}`;
      const list = this.#listeners.get(key) ?? [];
      if (list.some((entry) => entry.listener === listener)) return;
      this.#listeners.set(key, [...list, { listener, once: typeof options === "object" && !!options?.once }]);
      signal?.addEventListener("abort", () => this.removeEventListener(key, listener), { once: true });
    }
    removeEventListener(type, listener) {
      const list = this.#listeners.get(`${type}`);
      if (list) this.#listeners.set(`${type}`, list.filter((entry) => entry.listener !== listener));
    }
    dispatchEvent(event) {
      if (!(event instanceof Event)) throw new TypeError("`dispatchEvent` expects an Event");
      begin(event, this);
      const handler = this[`on${event.type}`];
      const list = this.#listeners.get(event.type) ?? [];
      for (const entry of typeof handler === "function" ? [{ listener: handler }, ...list] : list) {
        if (entry.once) this.removeEventListener(event.type, entry.listener);
        try {
          if (typeof entry.listener === "function") entry.listener.call(this, event);
          else entry.listener.handleEvent(event);
        } catch (error) {
          // As on the web: a listener that throws does not prevent the next from running.
          timers.queueMicrotask(() => { throw error; });
        }
        if (isStopped(event)) break;
      }
      return !event.defaultPrevented;
    }
    get [Symbol.toStringTag]() { return "EventTarget"; }
  }

  let inside = false; // only this file creates signals
  let abort;
  const make = () => {
    inside = true;
    try { return new AbortSignal(); } finally { inside = false; }
  };

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? domException("This operation was aborted", "AbortError") : reason;
        signal.dispatchEvent(new Event("abort"));
      };
    }
    constructor() {
      super();
      if (!inside) throw new TypeError("Illegal constructor: use `new AbortController().signal`");
      this.onabort = null;
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason = undefined) {
      const signal = make();
      abort(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = make();
      timers.setTimeout(() => abort(signal, domException("The operation was aborted due to timeout", "TimeoutError")), ms);
      return signal;
    }
    static any(signals) {
      const joined = make();
      for (const signal of signals) {
        if (signal.aborted) { abort(joined, signal.reason); break; }
        signal.addEventListener("abort", () => abort(joined, signal.reason), { once: true });
      }
      return joined;
    }
    get [Symbol.toStringTag]() { return "AbortSignal"; }
  }

  class AbortController {
    #signal = make();
    get signal() { return this.#signal; }
    abort(reason = undefined) { abort(this.#signal, reason); }
    get [Symbol.toStringTag]() { return "AbortController"; }
  }

  return { Event, CustomEvent, EventTarget, AbortSignal, AbortController };
})
