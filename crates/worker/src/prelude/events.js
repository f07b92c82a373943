// A minimal version of Node's `events` module: EventEmitter, with the usual ways to import it.
//
// In: nothing. Out: EventEmitter, which has itself as `EventEmitter` and `default`, and `once`.
// Not supported: `on` as an async iterator, capture of rejections, warnings for too many listeners.
(function () {
  "use strict";
  class EventEmitter {
    #listeners = new Map();
    #add(name, entry, first) {
      if (typeof entry.listener !== "function") throw new TypeError('The "listener" argument must be of type function');
      if (this.#listeners.has("newListener")) this.emit("newListener", name, entry.listener);
      const list = this.#listeners.get(name) ?? [];
      this.#listeners.set(name, first ? [entry, ...list] : [...list, entry]);
      return this;
    }
    on(name, listener) { return this.#add(name, { listener }, false); }
    addListener(name, listener) { return this.on(name, listener); }
    prependListener(name, listener) { return this.#add(name, { listener }, true); }
    once(name, listener) { return this.#add(name, { listener, once: true }, false); }
    prependOnceListener(name, listener) { return this.#add(name, { listener, once: true }, true); }
    off(name, listener) {
      const list = this.#listeners.get(name) ?? [];
      const at = list.findLastIndex((entry) => entry.listener === listener);
      if (at < 0) return this;
      if (list.length === 1) this.#listeners.delete(name);
      else this.#listeners.set(name, list.filter((entry, i) => i !== at));
      if (this.#listeners.has("removeListener")) this.emit("removeListener", name, listener);
      return this;
    }
    removeListener(name, listener) { return this.off(name, listener); }
    removeAllListeners(name) {
      if (name === undefined) this.#listeners.clear(); else this.#listeners.delete(name);
      return this;
    }
    emit(name, ...args) {
      const list = this.#listeners.get(name);
      if (list === undefined) {
        if (name !== "error") return false;
        throw args[0] instanceof Error ? args[0] : Object.assign(new Error(`Unhandled error. (${args[0]})`), { code: "ERR_UNHANDLED_ERROR", context: args[0] });
      }
      for (const entry of list) {
        if (entry.once) this.off(name, entry.listener);
        entry.listener.apply(this, args);
      }
      return true;
    }
    listeners(name) { return (this.#listeners.get(name) ?? []).map((entry) => entry.listener); }
    rawListeners(name) { return this.listeners(name); }
    listenerCount(name) { return (this.#listeners.get(name) ?? []).length; }
    eventNames() { return [...this.#listeners.keys()]; }
    setMaxListeners() { return this; }
    getMaxListeners() { return 10; }
    // A promise of the arguments of the next event.
    static once(emitter, name) {
      return new Promise((resolve, reject) => {
        const onError = (error) => { emitter.off(name, onEvent); reject(error); };
        const onEvent = (...args) => { emitter.off("error", onError); resolve(args); };
        emitter.once(name, onEvent);
        if (name !== "error") emitter.once("error", onError);
      });
    }
  }
  EventEmitter.EventEmitter = EventEmitter;
  EventEmitter.default = EventEmitter;
  EventEmitter.defaultMaxListeners = 10;
  return EventEmitter;
})
