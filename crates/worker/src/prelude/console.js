// The `console` global.
//
// In: `host.log(level, text)` and `host.now()`; `host.use("inspect")` for anything but plain text.
// Out: every method calls `host.log` at most once, with level log, info, debug, warn or error.
// Invariant: no method throws, whatever its arguments; a message has at most MAX characters.
// Not supported: colours, streams, `console.profile`.
(function (host) {
  "use strict";
  const { log: send, now, use } = host;
  const { StringSlice, StringTrimEnd, StringRepeat, StringSplit, ArrayJoin, StringIndexOf, NumberToFixed } = host.prim;
  const MAX = 1_000_000;
  let indent = "";

  const emit = (level, text) => {
    if (text.length > MAX) {
      text = `${StringSlice(text, 0, MAX)}\n... cut: the message had ${text.length} characters, the limit is ${MAX}`;
    }
    if (indent !== "") text = indent + ArrayJoin(StringSplit(text, "\n"), "\n" + indent);
    send(level, text);
  };
  // Plain text needs no formatter, so a program that logs only text never loads it.
  const format = (args) => {
    try {
      const first = args[0];
      if (args.length === 1 && typeof first === "string") return first;
      return use("inspect").format(args);
    } catch {
      return "[value that cannot be shown]";
    }
  };
  const writer = (level) => (...args) => emit(level, format(args));
  const label = (value) => {
    try { return value === undefined ? "default" : `${value}`; } catch { return "default"; }
  };
  const store = () => {
    const map = new Map();
    return { get: map.get.bind(map), set: map.set.bind(map), delete: map.delete.bind(map) };
  };
  const counts = store();
  const starts = store();
  const elapsed = (name) => {
    const ms = now() - starts.get(name);
    return ms >= 1000 ? `${NumberToFixed(ms / 1000, 3)}s` : `${NumberToFixed(ms, 3)}ms`;
  };
  const known = (name, method) => {
    if (starts.get(name) !== undefined) return true;
    emit("warn", `Warning: No such label '${name}' for console.${method}()`);
    return false;
  };

  const log = writer("log");
  const warn = writer("warn");
  const console = {
    log, warn, info: writer("info"), debug: writer("debug"), error: writer("error"),
    trace(...args) {
      const text = args.length ? `Trace: ${format(args)}` : "Trace";
      let stack = "";
      try { stack = `${new Error().stack}`; } catch { /* a program may break stacks */ }
      // The first line of a V8 stack is the message; QuickJS has none. Both list this frame.
      const from = StringIndexOf(stack, "\n", StringIndexOf(stack, "at "));
      emit("error", from < 0 ? text : text + StringTrimEnd(StringSlice(stack, from)));
    },
    dir(value, options) {
      try { emit("log", use("inspect").inspect(value, options)); } catch { log(value); }
    },
    table(data, columns) {
      let text;
      try { text = use("inspect").table(data, columns); } catch { /* shown as a log below */ }
      if (text === undefined) log(data); else emit("log", text);
    },
    group(...args) {
      if (args.length) log(...args);
      if (indent.length < 40) indent += "  ";
    },
    groupEnd() { indent = StringRepeat(" ", indent.length > 2 ? indent.length - 2 : 0); },
    assert(condition, ...args) {
      if (condition) return;
      if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
      emit("error", args.length === 0 ? "Assertion failed"
        : typeof args[0] === "string" ? format(args) : `Assertion failed: ${format(args)}`);
    },
    count(value) {
      const name = label(value);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      emit("log", `${name}: ${count}`);
    },
    countReset(value) { counts.delete(label(value)); },
    time(value) {
      const name = label(value);
      if (starts.get(name) === undefined) starts.set(name, now());
      else emit("warn", `Warning: Label '${name}' already exists for console.time()`);
    },
    timeEnd(value) {
      const name = label(value);
      if (!known(name, "timeEnd")) return;
      emit("log", `${name}: ${elapsed(name)}`);
      starts.delete(name);
    },
    timeLog(value, ...args) {
      const name = label(value);
      if (known(name, "timeLog")) emit("log", `${name}: ${elapsed(name)}${args.length ? " " + format(args) : ""}`);
    },
  };
  console.dirxml = log;
  console.groupCollapsed = console.group;
  host.define("console", console);
})
