// Turns any value into readable text, like Node's `util.inspect`.
//
// In: a value and options (depth, breakLength, compact, maxArrayLength, maxStringLength).
// Out: { inspect, format, table, custom }.
// Invariant: getters are not called, nothing thrown by the value escapes, and the work
// ends after about BUDGET characters, however wide or deep the value is.
// Not supported: colours, `showHidden`, `<ref *1>` numbers, the padded columns of Node's arrays. A
// Proxy cannot be distinguished from its target here, so its traps run (inside a `try`).
(function (host) {
  "use strict";
  const P = host.prim;
  const { getOwnPropertyDescriptor: describe, getPrototypeOf, ownKeys, hasOwn, isArray, stringify } = P;
  const { StringSlice, StringRepeat, StringIndexOf, StringCharCodeAt, ArrayJoin } = P;
  const BUDGET = 1_000_000;
  const custom = P.Symbol.for("nodejs.util.inspect.custom");

  function inspect(value, options) {
    const o = typeof options === "object" && options !== null ? options : { __proto__: null };
    const number = (key, fallback) => {
      const n = o[key];
      return n === null ? Infinity : typeof n === "number" && n === n ? n : fallback;
    };
    const ctx = {
      depth: P.min(number("depth", 4), 60), width: number("breakLength", 80), items: number("maxArrayLength", 100),
      chars: number("maxStringLength", 10_000), oneLine: o.compact !== false, left: BUDGET, stack: [], deepest: 0, sorted: o.sorted === true,
    };
    return show(ctx, value, 0, 0);
  }

  function show(ctx, value, level, indent) {
    return typeof value === "object" && value !== null || typeof value === "function"
      ? showGuarded(ctx, value, level, indent) : primitive(ctx, value);
  }

  function primitive(ctx, value) {
    let text;
    switch (typeof value) {
      case "string": {
        const more = value.length - ctx.chars;
        text = more > 0
          ? `${quote(StringSlice(value, 0, ctx.chars))}... ${more} more character${more > 1 ? "s" : ""}` : quote(value);
        break;
      }
      case "number": text = P.is(value, -0) ? "-0" : `${value}`; break;
      case "bigint": text = `${value}n`; break;
      case "symbol": text = P.SymbolToString(value); break;
      default: text = `${value}`;
    }
    ctx.left -= text.length;
    return text;
  }

  function showGuarded(ctx, value, level, indent) {
    const { stack } = ctx;
    for (let i = 0; i < stack.length; i++) if (stack[i] === value) return "[Circular]";
    const depth = stack.length;
    stack[depth] = value;
    try {
      return showObject(ctx, value, level, indent);
    } catch {
      // A trap that throws, a revoked Proxy, or no stack left.
      return typeof value === "function" ? "[Function (cannot be shown)]" : "[Object (cannot be shown)]";
    } finally {
      stack.length = depth;
    }
  }

  // The built-in classes, found through the prototype chain and then verified by a method that
  // only works on a real instance.
  const kinds = new P.Map();
  const kindOf = (proto) => P.MapGet(kinds, proto);
  const builtin = (name, kind, proof) => {
    const type = globalThis[name];
    if (typeof type === "function") P.MapSet(kinds, type.prototype, { name, kind, proof });
  };
  builtin("Object", "object", null);
  builtin("Array", "array", (v) => { if (!isArray(v)) throw 0; });
  builtin("Function", "function", P.FunctionToString);
  builtin("Map", "map", P.MapSize);
  builtin("Set", "set", P.SetSize);
  builtin("Date", "date", P.DateGetTime);
  builtin("RegExp", "regexp", P.RegExpSource);
  builtin("Error", "error", null);
  builtin("Promise", "promise", null);
  builtin("WeakMap", "weak", null);
  builtin("WeakSet", "weak", null);
  builtin("WeakRef", "weak", null);
  builtin("ArrayBuffer", "buffer", P.BufferLength);
  builtin("DataView", "view", P.ViewLength);
  builtin("Number", "boxed", P.NumberValueOf);
  builtin("String", "boxed", P.StringValueOf);
  builtin("Boolean", "boxed", P.BooleanValueOf);
  builtin("Symbol", "boxed", P.SymbolValueOf);
  builtin("BigInt", "boxed", P.BigIntValueOf);
  const typedProto = getPrototypeOf(P.Uint8Array.prototype);
  P.MapSet(kinds, typedProto, { name: "TypedArray", kind: "typed", proof: P.TypedLength });
  const ObjectProto = P.Object.prototype;
  const ArrayProto = Array.prototype;

  function classify(value) {
    if (isArray(value)) return { kind: "array", name: "Array" };
    for (let proto = getPrototypeOf(value), n = 0; proto !== null && n < 100; proto = getPrototypeOf(proto), n++) {
      const found = kindOf(proto);
      if (found === undefined || found.kind === "array") continue;
      if (found.proof !== null) {
        try { found.proof(value); } catch { continue; }
      }
      return found;
    }
    return { kind: "object", name: "" };
  }

  // The name of the class, without calling a getter; null if the prototype is null.
  function className(value) {
    let proto = getPrototypeOf(value);
    if (proto === null) return null;
    for (let n = 0; proto !== null && n < 100; proto = getPrototypeOf(proto), n++) {
      const constructor = describe(proto, "constructor");
      if (constructor === undefined || typeof constructor.value !== "function") continue;
      const name = describe(constructor.value, "name");
      if (name !== undefined && typeof name.value === "string" && name.value !== "") return name.value;
    }
    return "";
  }

  function dataProperty(value, key) {
    for (let at = value, n = 0; at !== null && n < 100; at = getPrototypeOf(at), n++) {
      const found = describe(at, key);
      if (found !== undefined) return found.value;
    }
    return undefined;
  }

  function showObject(ctx, value, level, indent) {
    const proto = getPrototypeOf(value);
    const plain = proto === ObjectProto;
    if (!plain || hasOwn(value, custom)) {
      const method = dataProperty(value, custom);
      if (typeof method === "function") {
        const made = P.apply(method, value, [ctx.depth - level, { depth: ctx.depth - level }, inspect]);
        if (made !== value) {
          if (typeof made !== "string") return show(ctx, made, level, indent);
          ctx.left -= made.length;
          return made;
        }
      }
    }
    if (plain && typeof value === "object" && !isArray(value)) {
      const tag = hasOwn(value, P.Symbol.toStringTag) ? dataProperty(value, P.Symbol.toStringTag) : undefined;
      return body(ctx, value, level, indent, typeof tag === "string" ? `Object [${tag}]` : "", "{", "}", noItems, "Object");
    }
    if (proto === ArrayProto && isArray(value)) return body(ctx, value, level, indent, "", "[", "]", arrayItems, "Array");
    const { kind, name: builtinName } = classify(value);
    const name = className(value);
    const titled = (fallback) => name === null ? `[${fallback}: null prototype]` : name || fallback;
    const prefix = (fallback, size) => `${titled(fallback)}${size === undefined ? "" : `(${size})`}`;
    const whole = (base) => body(ctx, value, level, indent, base, "{", "}", noItems, "");
    if (typeof value === "function") return whole(functionTitle(value, name));
    switch (kind) {
      case "array": return body(ctx, value, level, indent, name === "Array" ? "" : prefix("Array", value.length), "[", "]", arrayItems, titled("Array"));
      case "map": return body(ctx, value, level, indent, prefix("Map", P.MapSize(value)), "{", "}", mapItems, titled("Map"));
      case "set": return body(ctx, value, level, indent, prefix("Set", P.SetSize(value)), "{", "}", setItems, titled("Set"));
      case "typed": return body(ctx, value, level, indent, prefix(P.TypedTag(value), P.TypedLength(value)), "[", "]", typedItems, titled("TypedArray"));
      case "buffer": return body(ctx, value, level, indent, prefix("ArrayBuffer"), "{", "}", bufferItems, "ArrayBuffer");
      case "view": return body(ctx, value, level, indent, prefix("DataView"), "{", "}", viewItems, "DataView");
      case "date": {
        const time = P.DateGetTime(value);
        return whole(time === time ? P.DateToISOString(value) : "Invalid Date");
      }
      case "regexp": return whole(`/${P.RegExpSource(value)}/${P.RegExpFlags(value)}`);
      case "error": return errorText(ctx, value, level, indent, name);
      case "promise": return body(ctx, value, level, indent, prefix("Promise"), "{", "}", () => ["<not awaited>"], "Promise");
      case "weak": return body(ctx, value, level, indent, prefix(builtinName), "{", "}", () => ["<items unknown>"], builtinName);
      case "boxed": return whole(`[${builtinName}: ${primitive(ctx, P[`${builtinName}ValueOf`](value))}]`);
    }
    const tag = dataProperty(value, P.Symbol.toStringTag);
    let title = titled("Object");
    if (typeof tag === "string" && tag !== "" && tag !== name) title = `${title} [${tag}]`;
    return body(ctx, value, level, indent, title === "Object" ? "" : title, "{", "}", noItems, title);
  }

  function functionTitle(value, name) {
    const own = describe(value, "name");
    const label = own !== undefined && typeof own.value === "string" ? own.value : "";
    let source = "";
    try { source = StringSlice(P.FunctionToString(value), 0, 6); } catch { /* a Proxy */ }
    if (StringSlice(source, 0, 5) === "class" && source !== "class_") {
      const parent = getPrototypeOf(value);
      const parentName = typeof parent === "function" ? describe(parent, "name")?.value : "";
      return `[class ${label || "(anonymous)"}${parentName ? ` extends ${parentName}` : ""}]`;
    }
    const tag = dataProperty(value, P.Symbol.toStringTag);
    const kind = typeof tag === "string" && tag !== "" ? tag : "Function";
    return `[${kind}${name === null ? " (null prototype)" : ""}${label === "" ? " (anonymous)" : `: ${label}`}]`;
  }

  function errorText(ctx, value, level, indent, className) {
    let name = "Error";
    let message = "";
    // Read as a program would: classes often give `name` or `message` as getters.
    try { name = `${value.name}`; } catch { /* keeps "Error" */ }
    try { message = `${value.message}`; } catch { /* keeps "" */ }
    if ((name === "Error" || name === "undefined") && className) name = className;
    let text = message === "" ? name : `${name}: ${message}`;
    if (level > 0) text = `[${text}]`;
    ctx.left -= text.length;
    return body(ctx, value, level, indent, text, "{", "}", errorItems, "Error");
  }

  function errorItems(ctx, value, level, indent) {
    const out = [];
    const keys = ["cause", "errors"];
    for (let i = 0; i < 2; i++) {
      const own = describe(value, keys[i]);
      if (own !== undefined && !own.enumerable && hasOwn(own, "value")) {
        out[out.length] = `[${keys[i]}]: ${show(ctx, own.value, level + 1, indent + 2)}`;
      }
    }
    return out;
  }

  const noItems = () => [];

  function more(out, count) {
    if (count > 0) out[out.length] = `... ${count} more item${count > 1 ? "s" : ""}`;
    return out;
  }

  function arrayItems(ctx, value, level, indent) {
    const out = [];
    const { length } = value;
    let i = 0;
    while (i < length && out.length < ctx.items && ctx.left > 0) {
      const own = describe(value, i);
      if (own === undefined) {
        const from = i++;
        // Holes are counted one by one, up to a limit: `new Array(1e9)` is one hole.
        while (i < length && i - from < 10_000 && describe(value, i) === undefined) i++;
        if (i - from >= 10_000) i = length;
        out[out.length] = `<${i - from} empty item${i - from > 1 ? "s" : ""}>`;
      } else {
        out[out.length] = property(ctx, own, level, indent);
        i++;
      }
    }
    return more(out, length - i);
  }

  function typedItems(ctx, value) {
    const out = [];
    const length = P.TypedLength(value);
    const shown = P.min(length, ctx.items);
    for (let i = 0; i < shown; i++) out[i] = primitive(ctx, value[i]);
    return more(out, length - shown);
  }

  const stop = { __proto__: null };

  function mapItems(ctx, value, level, indent) {
    const out = [];
    each(P.MapForEach, value, ctx, out, (item, key) => {
      out[out.length] = `${show(ctx, key, level + 1, indent + 2)} => ${show(ctx, item, level + 1, indent + 2)}`;
    });
    return more(out, P.MapSize(value) - out.length);
  }

  function setItems(ctx, value, level, indent) {
    const out = [];
    each(P.SetForEach, value, ctx, out, (item) => { out[out.length] = show(ctx, item, level + 1, indent + 2); });
    return more(out, P.SetSize(value) - out.length);
  }

  function each(forEach, value, ctx, out, visit) {
    try {
      forEach(value, (item, key) => {
        if (out.length >= ctx.items || ctx.left <= 0) throw stop;
        visit(item, key);
      });
    } catch (error) {
      if (error !== stop) throw error;
    }
  }

  function bufferItems(ctx, value) {
    const bytes = new P.Uint8Array(value);
    const length = P.TypedLength(bytes);
    const shown = P.min(length, 50);
    let hex = "";
    for (let i = 0; i < shown; i++) hex += (i ? " " : "") + (bytes[i] < 16 ? "0" : "") + P.NumberToString(bytes[i], 16);
    if (length > shown) hex += ` ... ${length - shown} more byte${length - shown > 1 ? "s" : ""}`;
    return [`[Uint8Contents]: <${hex}>`, `byteLength: ${length}`];
  }

  function viewItems(ctx, value, level, indent) {
    return [`byteLength: ${P.ViewLength(value)}`, `byteOffset: ${P.ViewOffset(value)}`,
      `buffer: ${show(ctx, P.ViewBuffer(value), level + 1, indent + 2)}`];
  }

  // The text of one property; `own` is its descriptor, so no getter runs.
  function property(ctx, own, level, indent) {
    if (hasOwn(own, "value")) return show(ctx, own.value, level + 1, indent + 2);
    const text = own.get === undefined ? "[Setter]" : own.set === undefined ? "[Getter]" : "[Getter/Setter]";
    ctx.left -= text.length;
    return text;
  }

  function body(ctx, value, level, indent, base, open, close, items, shortName) {
    // A base that is complete by itself (date, function) stays at any depth.
    if (level > ctx.depth && shortName !== "" && shortName !== "Error") return `[${shortName}]`;
    ctx.deepest = level;
    const out = level > ctx.depth ? [] : items(ctx, value, level, indent);
    const isList = open === "[";
    const itemCount = out.length;
    if (level <= ctx.depth && keysAreCheap(value, items)) addKeys(ctx, value, level, indent, out, items);
    if (out.length === 0) return base === "" ? open + close : shortName === "" || shortName === "Error" ? base : `${base} ${open}${close}`;
    return layout(ctx, out, level, indent, base === "" ? open : `${base} ${open}`, close, isList && itemCount === out.length);
  }

  // Listing the keys of a long array would create a million strings that are not shown.
  const keysAreCheap = (value, items) => items === arrayItems ? value.length <= 1000 : items !== typedItems;

  function addKeys(ctx, value, level, indent, out, items) {
    const keys = ownKeys(value);
    if (ctx.sorted) P.ArraySort(keys, (a, b) => `${typeof a}${P.String(a)}` < `${typeof b}${P.String(b)}` ? -1 : 1);
    const from = items === arrayItems ? value.length : 0;
    const boxedText = items === noItems && typeof value === "object" && kindOf(getPrototypeOf(value))?.name === "String";
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if ((from > 0 || boxedText) && typeof key === "string" && isIndex(key)) continue;
      const own = describe(value, key);
      if (own === undefined || !own.enumerable) continue;
      if (items === errorItems && (key === "name" || key === "message" || key === "stack")) continue; // in the title
      if (ctx.left <= 0) {
        out[out.length] = `... ${keys.length - i} more keys`;
        return;
      }
      const label = typeof key === "symbol" ? `[${P.SymbolToString(key)}]` : isName(key) ? key : quote(key);
      ctx.left -= label.length + 2;
      out[out.length] = `${label}: ${property(ctx, own, level, indent)}`;
    }
  }

  function layout(ctx, out, level, indent, open, close, isList) {
    let total = out.length * 2 + indent + open.length + 10;
    let longest = 0;
    let broken = false;
    for (let i = 0; i < out.length; i++) {
      const { length } = out[i];
      total += length;
      if (length > longest) longest = length;
      if (length < ctx.width && StringIndexOf(out[i], "\n") >= 0) broken = true;
    }
    // As in Node, at most three levels share one line.
    if (ctx.oneLine && !broken && total <= ctx.width && ctx.deepest - level < 3) {
      return `${open} ${ArrayJoin(out, ", ")} ${close}`;
    }
    const pad = `\n${StringRepeat(" ", indent)}`;
    const lines = isList && ctx.oneLine && out.length > 6 && longest <= 20 && !broken ? fill(out, ctx.width - indent - 4) : out;
    return `${open}${pad}  ${ArrayJoin(lines, `,${pad}  `)}${pad}${close}`;
  }

  // Short items of a long list, as many on a line as fit.
  function fill(out, width) {
    const lines = [];
    let line = out[0];
    for (let i = 1; i < out.length; i++) {
      if (line.length + out[i].length + 3 > width) {
        lines[lines.length] = line;
        line = out[i];
      } else {
        line += `, ${out[i]}`;
      }
    }
    lines[lines.length] = line;
    return lines;
  }

  function isIndex(key) {
    const first = StringCharCodeAt(key, 0);
    return first >= 48 && first <= 57 && `${key >>> 0}` === key;
  }

  // Indexed, since a call per character is the slow part of a big object; the program cannot
  // change `text[i]`.
  function isName(key) {
    for (let i = 0; i < key.length; i++) {
      const c = key[i];
      if (!(c >= "a" && c <= "z" || c >= "A" && c <= "Z" || c === "_" || c === "$" || i > 0 && c >= "0" && c <= "9")) return false;
    }
    return key !== "";
  }

  const hex = (code, digits) => {
    let text = P.NumberToString(code, 16);
    while (text.length < digits) text = `0${text}`;
    return text;
  };
  const escapes = { __proto__: null, 8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 92: "\\\\" };

  function quote(text) {
    const single = StringIndexOf(text, "'") < 0;
    // JSON added only the two quotes: no character needs an escape.
    if (stringify(text).length === text.length + 2) return single ? `'${text}'` : `"${text}"`;
    const mark = single ? "'" : StringIndexOf(text, '"') < 0 ? '"' : StringIndexOf(text, "`") < 0 && StringIndexOf(text, "${") < 0 ? "`" : "'";
    const markCode = StringCharCodeAt(mark, 0);
    let out = mark;
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const c = StringCharCodeAt(text, i);
      let escaped = escapes[c];
      if (escaped === undefined) {
        if (c === markCode) escaped = `\\${mark}`;
        else if (c < 32 || c === 127) escaped = `\\x${P.StringToUpperCase(hex(c, 2))}`;
        else if (c >= 0xd800 && c <= 0xdfff) {
          const next = StringCharCodeAt(text, i + 1);
          if (c < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) { i++; continue; }
          escaped = `\\u${hex(c, 4)}`;
        } else continue;
      }
      out += StringSlice(text, from, i) + escaped;
      from = i + 1;
    }
    return out + StringSlice(text, from) + mark;
  }

  // The text that `console.log` prints for these arguments.
  function format(args) {
    const first = args[0];
    let text = "";
    let used = 0;
    if (typeof first === "string") {
      used = 1;
      if (args.length === 1) return first;
      let from = 0;
      for (let at = StringIndexOf(first, "%"); at >= 0; at = StringIndexOf(first, "%", at + 2)) {
        const letter = first[at + 1];
        let piece;
        if (letter === "%") piece = "%";
        else if (used < args.length && (piece = directive(letter, args[used])) !== undefined) used++;
        if (piece === undefined) { at -= 1; continue; }
        text += StringSlice(first, from, at) + piece;
        from = at + 2;
      }
      text += StringSlice(first, from);
    }
    for (let i = used; i < args.length; i++) {
      if (i > 0) text += " ";
      text += typeof args[i] === "string" ? args[i] : inspect(args[i]);
      if (text.length > BUDGET) break;
    }
    return text;
  }

  function directive(letter, value) {
    try {
      switch (letter) {
        case "s": return asText(value);
        case "d": return typeof value === "bigint" ? `${value}n` : typeof value === "symbol" || typeof value === "object" && value !== null ? "NaN" : inspect(P.Number(value));
        case "i": return typeof value === "bigint" ? `${value}n` : typeof value === "symbol" || typeof value === "object" && value !== null ? "NaN" : inspect(parseInt(value));
        case "f": return typeof value === "symbol" ? "NaN" : inspect(parseFloat(value));
        case "j": return `${stringify(value)}`;
        case "o": case "O": return inspect(value);
        case "c": return "";
      }
      return undefined;
    } catch {
      return letter === "j" ? "[Circular]" : inspect(value);
    }
  }

  function asText(value) {
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "bigint") return inspect(value);
    if (typeof value !== "object" || value === null) return P.String(value);
    for (let at = value, n = 0; at !== null && n < 100; at = getPrototypeOf(at), n++) {
      if (!hasOwn(at, "toString")) continue;
      return kindOf(at) === undefined ? P.String(value) : inspect(value, { depth: 0 });
    }
    return inspect(value, { depth: 0 });
  }

  // A table with one row per entry; undefined if `data` does not consist of entries.
  function table(data, columns) {
    if (typeof data !== "object" || data === null) return undefined;
    const rows = [];
    const head = ["(index)"];
    const column = new P.Map();
    const add = (name) => {
      if (!P.MapHas(column, name)) { P.MapSet(column, name, head.length); head[head.length] = name; }
      return P.MapGet(column, name);
    };
    if (isArray(columns)) for (let i = 0; i < columns.length; i++) add(`${columns[i]}`);
    const VALUES = P.Symbol("Values");
    const addRow = (index, entry) => {
      const row = [index];
      if (typeof entry === "object" && entry !== null) {
        const keys = ownKeys(entry);
        for (let i = 0; i < keys.length; i++) {
          const own = describe(entry, keys[i]);
          if (typeof keys[i] !== "string" || own === undefined || !own.enumerable) continue;
          if (isArray(columns) && !P.MapHas(column, keys[i])) continue;
          row[add(keys[i])] = hasOwn(own, "value") ? inspect(own.value, { depth: 0 }) : "[Getter]";
        }
      } else {
        row[add(VALUES)] = inspect(entry);
      }
      rows[rows.length] = row;
    };
    const { kind } = classify(data);
    let n = 0;
    if (kind === "map") P.MapForEach(data, (item, key) => { if (n++ < 1000) addRow(inspect(key), item); });
    else if (kind === "set") P.SetForEach(data, (item) => { if (n < 1000) addRow(`${n++}`, item); });
    else {
      const keys = ownKeys(data);
      for (let i = 0; i < keys.length && n < 1000; i++) {
        const own = describe(data, keys[i]);
        if (typeof keys[i] === "string" && own?.enumerable) { addRow(keys[i], own.value); n++; }
      }
    }
    let text = "";
    for (let r = -1; r < rows.length; r++) {
      let line = "|";
      for (let c = 0; c < head.length; c++) {
        const cell = r < 0 ? (head[c] === VALUES ? "Values" : head[c]) : rows[r][c] ?? "";
        line += ` ${cell} |`;
      }
      text += r < 0 ? `${line}\n|${StringRepeat(" --- |", head.length)}` : `\n${line}`;
    }
    return text;
  }

  inspect.custom = custom;
  return { inspect, format, table, custom };
})
