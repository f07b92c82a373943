// Node's `path` module, POSIX form. The current directory is "/".
//
// In: nothing. Out: the module object. Not supported: `win32`, `matchesGlob`.
(function () {
  "use strict";
  const check = (value, name) => {
    if (typeof value !== "string") {
      throw Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${value === null ? "null" : typeof value}`), { code: "ERR_INVALID_ARG_TYPE" });
    }
  };

  // The segments of `text` with "." and ".." resolved.
  function segmentsOf(text, absolute) {
    const out = [];
    for (const segment of text.split("/")) {
      if (segment === "" || segment === ".") continue;
      if (segment !== "..") out.push(segment);
      else if (out.length > 0 && out.at(-1) !== "..") out.pop();
      else if (!absolute) out.push("..");
    }
    return out;
  }

  const path = {
    sep: "/",
    delimiter: ":",
    normalize(text) {
      check(text, "path");
      if (text === "") return ".";
      const absolute = text[0] === "/";
      const joined = segmentsOf(text, absolute).join("/");
      const tail = text.endsWith("/");
      if (joined === "") return absolute ? "/" : tail ? "./" : ".";
      return (absolute ? "/" : "") + joined + (tail ? "/" : "");
    },
    isAbsolute(text) { check(text, "path"); return text[0] === "/"; },
    join(...parts) {
      for (const part of parts) check(part, "path");
      const joined = parts.filter((part) => part !== "").join("/");
      return joined === "" ? "." : path.normalize(joined);
    },
    resolve(...parts) {
      let whole = "";
      for (let i = parts.length - 1; i >= 0 && whole[0] !== "/"; i--) {
        check(parts[i], `paths[${i}]`);
        if (parts[i] !== "") whole = whole === "" ? parts[i] : `${parts[i]}/${whole}`;
      }
      return `/${segmentsOf(whole, true).join("/")}`;
    },
    relative(from, to) {
      check(from, "from");
      check(to, "to");
      const a = segmentsOf(path.resolve(from), true);
      const b = segmentsOf(path.resolve(to), true);
      let same = 0;
      while (same < a.length && a[same] === b[same]) same++;
      return [...Array(a.length - same).fill(".."), ...b.slice(same)].join("/");
    },
    dirname(text) {
      check(text, "path");
      const cut = text.replace(/\/+$/, "").lastIndexOf("/");
      if (cut > 0 && !(cut === 1 && text[0] === "/")) return text.slice(0, cut);
      return text[0] === "/" ? (/^\/\/[^/]/.test(text) ? "//" : "/") : ".";
    },
    basename(text, suffix) {
      check(text, "path");
      if (suffix !== undefined) check(suffix, "suffix");
      const base = /([^/]*)\/*$/.exec(text.replace(/\/+$/, ""))[1];
      return suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
    },
    extname(text) {
      const base = path.basename(text);
      const dot = base.lastIndexOf(".");
      return dot <= 0 || base === ".." ? "" : base.slice(dot);
    },
    parse(text) {
      check(text, "path");
      const root = text[0] === "/" ? "/" : "";
      const base = path.basename(text);
      const ext = path.extname(text);
      const stripped = text.replace(/\/+$/, "");
      const cut = stripped.lastIndexOf("/");
      const dir = cut > 0 ? stripped.slice(0, cut) : root;
      return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
    },
    format(parts) {
      if (typeof parts !== "object" || parts === null) throw new TypeError('The "pathObject" argument must be of type object');
      const ext = parts.ext ? (parts.ext[0] === "." ? parts.ext : `.${parts.ext}`) : "";
      const base = parts.base || `${parts.name || ""}${ext}`;
      const dir = parts.dir || parts.root;
      if (!dir) return base;
      return dir === parts.root ? `${dir}${base}` : `${dir}/${base}`;
    },
    toNamespacedPath: (text) => text,
  };
  path.posix = path;
  return path;
})
