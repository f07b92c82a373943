// The gateway's API for programs: `servers`, `callMCPTool`, `searchTools`, `loadSkill`,
// `saveSkill`, `pii`, `commands`, `fs`, imports, and the encoding of the output.
//
// In: `host`, the native functions of globals.rs. Out: the functions that the
// engine calls back (`settle`, `encodeOutput`, `finish`, `requestOf`) and the `port` that a
// prepared program gets as its argument (see `typescript`).
//
// Not a security boundary: a program can modify all of this and gains nothing,
// since the gateway resolves, checks and decides every call.
(function (host) {
  "use strict";
  const { parse, stringify, rawJSON } = JSON;
  const { BigInt } = globalThis;
  const { create, defineProperty, freeze, hasOwn, keys } = Object;
  const isArray = Array.isArray;
  const waiting = create(null);
  let lastId = 0;

  class ToolError extends Error {
    constructor(failure, at) {
      super(failure.message);
      this.code = failure.code;
      if (failure.hint) this.hint = failure.hint;
      if (failure.server) this.server = failure.server;
      if (failure.tool) this.tool = failure.tool;
      // The error is created when the answer arrives, with no frame of the program
      // on the stack: show where the call was made instead.
      if (at) defineProperty(this, "stack", { value: at.stack, writable: true, configurable: true });
    }
  }
  defineProperty(ToolError.prototype, "name", { value: "ToolError", writable: true, configurable: true });

  const fail = (code, message, hint) => new ToolError({ code, message, hint });

  // The requests that were answered with these errors: so the gateway recognizes its own error
  // if the program does not catch it. No property, which a program or a library may set.
  const requests = new WeakMap();
  const getRequest = WeakMap.prototype.get.bind(requests);
  const setRequest = WeakMap.prototype.set.bind(requests);
  const requestOf = (error) => getRequest(error) ?? 0;
  function answeredWith(failure, at) {
    const error = new ToolError(failure, at);
    if (failure.requestId) setRequest(error, failure.requestId);
    return error;
  }
  // For prelude/fetch.js: the same error in another class.
  host.sameRequest = (error, from) => {
    const id = requestOf(from);
    if (id) setRequest(error, id);
    return error;
  };

  // Arguments are copied once, as data: getters, proxies and `toJSON` run here
  // and nowhere else.
  function encodeArguments(name, input) {
    if (input === undefined || input === null) return "{}";
    // The gateway knows the names of the arguments and reports the error.
    if (typeof input !== "object") return wellFormed(stringify(typeof input === "bigint" ? `${input}` : input)) ?? "null";
    tooWide = undefined;
    const text = stringify(input);
    if (tooWide !== undefined) {
      throw fail("call.bad_argument", `\`${name}\` got an integer of more than 64 bits in \`${tooWide}\``, "pass it as text");
    }
    if (text !== undefined) return wellFormed(text);
    throw fail("call.bad_argument", `\`${name}\` takes one object with named arguments, got one that is nothing in JSON`,
      "write `tool({ name: value })`");
  }

  // Exact integers. Numbers in a program are doubles, so an integer beyond
  // 2^53 - 1 is a BigInt here. The gateway puts a line break before an answer
  // that has one (see integers.rs): reading the digits is slow and rarely needed.
  const most = 9007199254740991;
  const exact = (_, value, context) => {
    if (typeof value !== "number" || (value <= most && value >= -most)) return value;
    // `1e21` is not written as an integer, and BigInt cannot parse it.
    try { return BigInt(context.source); } catch { return value; }
  };
  const decode = (text) => text[0] === "\n" ? parse(text, exact) : parse(text);

  // The gateway reads 64-bit integers. `toJSON` also makes the program's own
  // `JSON.stringify` work on an answer that contains a BigInt.
  const fits64 = (value) => value >= -9223372036854775808n && value <= 18446744073709551615n;
  let tooWide;
  defineProperty(BigInt.prototype, "toJSON", {
    value(key) {
      if (!fits64(this)) tooWide = key;
      return rawJSON(`${this}`);
    },
    writable: true, configurable: true,
  });

  // `slice` can cut an emoji in two, and the half becomes an escape in JSON that no
  // other parser accepts. Escapes are matched as a whole: `\\ud83d` is a backslash
  // and five letters.
  function wellFormed(json) {
    if (!json?.includes("\\ud")) return json;
    return json.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, half) => half ? "\ufffd" : escape);
  }

  function call(name, input, options) {
    const at = new Error();
    return new Promise((resolve, reject) => {
      const text = encodeArguments(name, input);
      const id = ++lastId;
      waiting[id] = { resolve, reject, at, name };
      host.call(id, name, text, options?.raw === true);
    });
  }

  // Host commands, each in a jail of its own. None exist unless the user has
  // configured them; the gateway checks the name and the arguments.
  const commands = freeze({
    run(name, args = [], options = undefined) {
      const at = new Error();
      return new Promise((resolve, reject) => {
        if (!isArray(args)) {
          throw fail("command.denied", "`commands.run` takes the arguments as a list",
            'write `commands.run("name", ["first", "second"])`');
        }
        // Numbers become text; the gateway refuses anything else.
        const list = args.map((arg) => typeof arg === "number" ? `${arg}` : arg);
        const request = { args: list, input: options?.input, timeout_ms: options?.timeout_ms };
        const id = ++lastId;
        waiting[id] = { resolve, reject, at, name: "" };
        host.command(id, textOf(name), wellFormed(stringify(request)));
      });
    },
  });

  function settle(id, ok, text) {
    const call = waiting[id];
    if (!call) return;
    delete waiting[id];
    if (ok) {
      try { call.resolve(decode(text)); } catch (error) { call.reject(error); }
      return;
    }
    const failure = parse(text);
    const border = call.name.indexOf("__");
    if (border > 0) {
      failure.server = call.name.slice(0, border);
      failure.tool = call.name.slice(border + 2);
    }
    call.reject(answeredWith(failure, call.at));
  }

  // For prelude/fetch.js: takes a request as JSON text, returns a promise of the answer.
  host.request = (text) => {
    const at = new Error();
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting[id] = { resolve, reject, at, name: "" };
      host.fetch(id, text);
    });
  };

  function ask(question, body) {
    const [ok, text] = host.ask(question, body);
    const value = parse(text);
    if (ok) return value;
    throw answeredWith(value, new Error());
  }

  // Names that the language itself accesses on any object. Returning a function
  // for them would make `await servers.x` hang, for example.
  const languageNames = new Set(["then", "toJSON", "valueOf", "toString", "constructor", "inspect"]);

  const apis = create(null);
  function serverApi(name) {
    if (apis[name]) return apis[name];
    const { server, functions } = ask("functions", name);
    const members = create(null);
    const add = (spelling, tool) => {
      // Otherwise the module would look like a promise; the function is `then_`.
      if (spelling === "then") return;
      const callTool = (input, options) => call(`${server}__${tool}`, input, options);
      defineProperty(callTool, "name", { value: spelling });
      members[spelling] = callTool;
    };
    for (const [name, tool] of functions) add(name, tool);
    // The tool's own spelling works too; if it is also another tool's function
    // name, the exact spelling wins.
    for (const [, tool] of functions) add(tool, tool);
    const api = new Proxy(members, {
      get(_, key) {
        if (typeof key !== "string" || hasOwn(members, key)) return members[key];
        if (languageNames.has(key)) return undefined;
        // The gateway suggests the nearest names.
        return (input) => call(`${server}__${key}`, input);
      },
      // The alternative spellings would list every tool twice.
      ownKeys: () => functions.map(([name]) => name),
    });
    apis[name] = api;
    return api;
  }

  const servers = new Proxy(create(null), {
    get(_, key) {
      if (typeof key !== "string") return undefined;
      if (languageNames.has(key) && !ask("servers", "").includes(key)) return undefined;
      return serverApi(key);
    },
    has: (_, key) => typeof key === "string" && ask("servers", "").includes(key),
    ownKeys: () => ask("servers", ""),
    // A getter: listing the names must not start every server.
    getOwnPropertyDescriptor: (_, key) => typeof key === "string" && ask("servers", "").includes(key)
      ? { get: () => serverApi(key), enumerable: true, configurable: true } : undefined,
  });

  async function searchTools(query, detail = "description") {
    const options = typeof detail === "object" && detail ? detail : { detail };
    const { results, recommended } = ask("search", stringify({ ...options, query: `${query}` }));
    // A separate property, so that iterating over the list yields only tools.
    return defineProperty(results, "recommended", { value: recommended });
  }

  // Skills are plain text. To run one, submit it as a program.
  async function loadSkill(name) {
    return ask("loadSkill", `${name}`);
  }
  async function saveSkill(name, code, description = "") {
    return ask("saveSkill", wellFormed(stringify({ name, code, description })));
  }

  // Questions about the values behind tokens of personal data, such as `[EMAIL_1]`.
  // The values stay in the gateway.
  const longestToken = 300; // in characters, whatever the encoding
  const mostInPart = 60000; // bytes; a question holds 64 KiB
  const tokenText = (token) => stringify(typeof token === "string" ? token.slice(0, longestToken) : token) ?? "null";
  const askPii = (what, texts) => ask("pii", wellFormed(`{"ask":"${what}","tokens":[${texts.join()}]}`));
  function aboutEach(what, given) {
    if (!isArray(given)) return askPii(what, [tokenText(given)])[0];
    const answers = [];
    let part = [];
    let bytes = 0;
    for (let at = 0; at < given.length; at++) {
      const text = tokenText(given[at]);
      // A character has at most three bytes.
      const more = 3 * text.length + 1;
      if (part.length > 0 && bytes + more > mostInPart) {
        answers.push(...askPii(what, part));
        part = [];
        bytes = 0;
      }
      part.push(text);
      bytes += more;
    }
    if (part.length > 0) answers.push(...askPii(what, part));
    return answers;
  }
  const pii = freeze({
    domain: async (tokens) => aboutEach("domain", tokens),
    equals: async (a, b) => askPii("equals", [tokenText(a), tokenText(b)]),
    mask: async (tokens) => aboutEach("mask", tokens),
  });

  // Files: `./servers` and `./skills` can be read; nothing else exists yet.
  const textOf = (path) => `${path}`;
  const readOnly = (name) => () => {
    throw fail("file.refused", `\`fs.${name}\` is not available: programs can only read \`./servers\` and \`./skills\``,
      "return the data instead, it is kept under a handle");
  };
  const stats = (path) => {
    let isFolder = true;
    try { ask("readDir", textOf(path)); } catch { isFolder = false; ask("readFile", textOf(path)); }
    return { isDirectory: () => isFolder, isFile: () => !isFolder, isSymbolicLink: () => false };
  };
  const readdirSync = (path, options) => {
    const entries = ask("readDir", textOf(path));
    if (!options?.withFileTypes) return entries.map(({ name }) => name);
    return entries.map(({ name, folder }) => ({
      name, isDirectory: () => folder, isFile: () => !folder, isSymbolicLink: () => false,
    }));
  };
  const readFileSync = (path, options) => {
    const text = ask("readFile", textOf(path));
    const encoding = typeof options === "string" ? options : options?.encoding;
    return encoding ? text : Buffer.from(text);
  };
  const accessSync = (path) => { stats(path); };
  const existsSync = (path) => { try { stats(path); return true; } catch { return false; } };
  const writers = ["writeFile", "appendFile", "mkdir", "rm", "rmdir", "unlink", "rename", "copyFile", "cp", "symlink"];
  const later = (work) => async (...args) => work(...args);
  const promises = { readdir: later(readdirSync), readFile: later(readFileSync), stat: later(stats), lstat: later(stats), access: later(accessSync) };
  const fs = { promises, readdirSync, readFileSync, statSync: stats, accessSync, existsSync };
  for (const name of writers) {
    promises[name] = later(readOnly(name));
    fs[`${name}Sync`] = readOnly(`${name}Sync`);
  }

  const files = { "fs": fs, "fs/promises": promises };

  function importModule(specifier) {
    const name = textOf(specifier);
    const tree = /^(?:(?:\.{1,2}\/)+|\/)?servers(?:\/(.*))?$/.exec(name);
    if (tree) return importTree((tree[1] ?? "").replace(/\/$/, ""), name);
    const bare = name.replace(/^node:/, "");
    const module = hasOwn(files, bare) ? files[bare] : host.module(bare);
    if (module !== undefined) return module;
    throw fail("program.threw", `cannot import \`${name}\``,
      "programs can import `./servers/<name>`, `fs/promises`, `path`, `util`, `url` and `assert`; packages are not available");
  }

  // ./servers, ./servers/<server>[/index][.ts] and ./servers/<server>/<tool>[.ts]
  function importTree(rest, name) {
    const [server, file, ...more] = rest.replace(/\.(?:ts|js|mjs)$/, "").split("/");
    if (more.length > 0) throw fail("file.refused", `cannot import \`${name}\``, "import `./servers/<name>`");
    if (!server || server === "index") return servers;
    const api = serverApi(server);
    if (!file || file === "index") return api;
    if (!hasOwn(api, file)) throw unknownExport(name, file, api);
    return { [file]: api[file], default: api[file] };
  }

  const unknownExport = (specifier, name, api) =>
    fail("call.unknown_tool", `\`${specifier}\` has no \`${name}\``,
      host.nearest(name, keys(api)) ?? `it has ${keys(api).slice(0, 8).map((key) => `\`${key}\``).join(", ")}`);

  // The port of a prepared program.
  let exported;
  const port = {
    exportDefault(value) { exported = value; },
    import(specifier, name) {
      const module = importModule(specifier);
      if (name === undefined) return module;
      if (name === "default" && !hasOwn(module, "default")) return module;
      if (module === servers) return serverApi(name);
      if (!hasOwn(module, name)) throw unknownExport(specifier, name, module);
      return module[name];
    },
    dynamicImport: async (specifier) => {
      const module = importModule(specifier);
      return hasOwn(module, "default") ? module : new Proxy(module, {
        get: (target, key) => key === "default" ? module : target[key],
      });
    },
  };

  // If the program returns or exports a function, call it: `async () => {…}`.
  async function finish(returned) {
    const value = returned === undefined ? exported : returned;
    return typeof value === "function" ? value() : value;
  }

  // Output as JSON text. Maps, sets and errors would become `{}`; show their contents.
  function encodeOutput(value) {
    if (typeof value === "function" || typeof value === "symbol") {
      throw fail("program.bad_output", `the output is a ${typeof value}, which JSON cannot hold`,
        "return plain data: objects, lists, text, numbers, booleans, null");
    }
    return wellFormed(stringify(value, function (key, current) {
      const original = this[key];
      if (typeof original === "bigint") return fits64(original) ? rawJSON(`${original}`) : `${original}`;
      if (original instanceof Map) return Object.fromEntries(original);
      if (original instanceof Set) return [...original];
      if (original instanceof Error) return { name: original.name, message: original.message };
      return current;
    }));
  }

  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  define("servers", servers);
  // Some programs pass the server and the tool separately; arguments are never a string.
  define("callMCPTool", (name, input, options, more) =>
    typeof input === "string" ? call(`${name}__${input}`, options, more) : call(textOf(name), input, options));
  define("searchTools", searchTools);
  define("loadSkill", loadSkill);
  define("saveSkill", saveSkill);
  define("pii", pii);
  define("commands", commands);
  define("ToolError", ToolError);
  define("fs", fs);

  return freeze({ settle, finish, encodeOutput, port, importModule, requestOf });
})
