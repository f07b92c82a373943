// crypto, performance and a small Intl, for an engine that has none of them.
//
// In: `host.randomBytes(n)` (an ArrayBuffer), `host.now()` (ms since the start of the run).
// Out: { crypto, performance, Intl, localized } where `localized` implements toLocaleString and
// the like. Every locale tag is accepted and treated as en-US; the only time zone is UTC.
// Not supported: Web Crypto (`crypto.subtle`), other languages and calendars, Intl.Segmenter.
(function (host) {
  "use strict";
  const { randomBytes, now } = host;

  // ---- crypto and performance

  const hexOf = (bytes) => Array.from(bytes, (b) => (b < 16 ? "0" : "") + b.toString(16)).join("");
  const crypto = {
    randomUUID() {
      const bytes = new Uint8Array(randomBytes(16));
      bytes[6] = bytes[6] & 0x0f | 0x40; // version 4
      bytes[8] = bytes[8] & 0x3f | 0x80; // the variant of RFC 9562
      return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    },
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || array instanceof DataView || /^Float/.test(array[Symbol.toStringTag])) {
        throw host.domException("`crypto.getRandomValues` expects a typed array of integers", "TypeMismatchError");
      }
      if (array.byteLength > 65536) {
        throw host.domException(`\`crypto.getRandomValues\` gives at most 65536 bytes, got an array of ${array.byteLength}`, "QuotaExceededError");
      }
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(new Uint8Array(randomBytes(array.byteLength)));
      return array;
    },
    get subtle() { throw new Error("`crypto.subtle` is not available in the sandbox: use a tool of a server for hashes and keys"); },
  };
  Object.defineProperty(crypto, "subtle", { enumerable: false });
  const performance = { now: () => now(), timeOrigin: Date.now() - now(), mark() {}, measure() {}, toJSON() { return { timeOrigin: this.timeOrigin }; } };

  // ---- shared by the Intl classes

  const LOCALE = "en-US";
  function checkLocales(locales) {
    for (const tag of locales === undefined ? [] : typeof locales === "string" ? [locales] : Array.from(locales)) {
      if (typeof tag !== "object" && !/^[a-z]{2,8}([-_][a-z0-9]{1,8})*$/i.test(`${tag}`)) throw new RangeError(`Incorrect locale information provided`);
    }
  }
  function pick(options, key, allowed, fallback) {
    const value = options[key];
    if (value === undefined) return fallback;
    if (!allowed.includes(`${value}`)) throw new RangeError(`Value ${value} out of range for Intl options property ${key}: use ${allowed.join(", ")}`);
    return `${value}`;
  }
  function digitOption(options, key, least, most) {
    const value = options[key];
    if (value === undefined) return undefined;
    const n = Math.floor(Number(value));
    if (!(n >= least && n <= most)) throw new RangeError(`${key} value is out of range: use ${least} to ${most}`);
    return n;
  }
  const join = (parts) => parts.map((part) => part.value).join("");
  // Intl classes can be called without `new`, and their `format` is already bound.
  const callable = (Class) => new Proxy(Class, { apply: (target, self, args) => new target(...args) });
  const supported = { supportedLocalesOf: (locales) => locales === undefined ? [] : typeof locales === "string" ? [locales] : Array.from(locales) };

  // ---- numbers

  const SYMBOLS = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", CHF: "CHF", INR: "₹", CNY: "CN¥" };
  const NARROW = { CNY: "¥" };
  const CURRENCY_NAMES = {
    USD: ["US dollar", "US dollars"], EUR: ["euro", "euros"], GBP: ["British pound", "British pounds"], JPY: ["Japanese yen", "Japanese yen"],
    CHF: ["Swiss franc", "Swiss francs"], INR: ["Indian rupee", "Indian rupees"], CNY: ["Chinese yuan", "Chinese yuan"],
  };
  const NO_CENTS = ["JPY", "KRW", "VND", "CLP", "ISK", "UGX", "XAF", "XOF"];
  // Short forms, some with a leading space. Other units are written out.
  const UNITS = {
    byte: " byte", kilobyte: " kB", megabyte: " MB", gigabyte: " GB", terabyte: " TB", bit: " bit", percent: "%", celsius: "°C", fahrenheit: "°F", degree: " deg",
    kilometer: " km", meter: " m", centimeter: " cm", millimeter: " mm", mile: " mi", foot: " ft", inch: " in", kilogram: " kg", gram: " g", pound: " lb", ounce: " oz",
    liter: " L", milliliter: " mL", second: " sec", minute: " min", hour: " hr", millisecond: " ms", "kilometer-per-hour": " km/h", "mile-per-hour": " mph",
  };
  const COMPACT = [["", ""], ["K", " thousand"], ["M", " million"], ["B", " billion"], ["T", " trillion"]];

  // Numbers as plain decimal text such as "1234.5", never with an exponent.
  function plain(text) {
    const [, mantissa, exponent] = /^([^e]*)(?:e([^]*))?$/.exec(text);
    if (exponent === undefined) return text;
    const [whole, fraction = ""] = mantissa.split(".");
    const digits = whole + fraction;
    const point = whole.length + Number(exponent);
    if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
    return point >= digits.length ? digits + "0".repeat(point - digits.length) : `${digits.slice(0, point)}.${digits.slice(point)}`;
  }
  function trimZeros(text, least) {
    const [whole, fraction = ""] = text.split(".");
    let end = fraction.length;
    while (end > least && fraction[end - 1] === "0") end--;
    return end === 0 ? whole : `${whole}.${fraction.slice(0, end).padEnd(least, "0")}`;
  }
  // Half away from zero on the decimal text, as ICU does: 1.005 gives 1.01.
  function roundAt(text, digits) {
    const [whole, fraction = ""] = text.split(".");
    if (fraction.length <= digits) return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, "0")}`;
    const cut = BigInt(whole + fraction.slice(0, digits)) + (fraction[digits] >= "5" ? 1n : 0n);
    const all = `${cut}`.padStart(digits + 1, "0");
    return digits === 0 ? all : `${all.slice(0, -digits)}.${all.slice(-digits)}`;
  }
  function significant(text, least, most) {
    // How many digits precede the decimal point, counted from the first nonzero digit.
    const wholeDigits = (number) => {
      const [head, tail = ""] = number.split(".");
      return head.length - (/[1-9]/.exec(head + tail)?.index ?? head.length - 1);
    };
    const [whole] = text.split(".");
    const digits = most - wholeDigits(text);
    if (digits >= 0) {
      const rounded = roundAt(text, digits); // 0.999 may have become 1.00
      return trimZeros(rounded, Math.max(0, least - wholeDigits(rounded)));
    }
    return roundAt(`${whole.slice(0, digits) || "0"}.${whole.slice(digits)}`, 0) + "0".repeat(-digits);
  }
  // The number times ten to the power of `places`.
  function shift(text, places) {
    const [whole, fraction = ""] = text.split(".");
    const digits = (whole + fraction).padEnd(whole.length + places, "0");
    const all = `${digits.slice(0, whole.length + places)}.${digits.slice(whole.length + places)}`.replace(/^0+(?=\d)/, "");
    return all.endsWith(".") ? all.slice(0, -1) : all;
  }

  class NumberFormat {
    #o;
    #bound;
    constructor(locales, options = {}) {
      checkLocales(locales);
      const o = {
        style: pick(options, "style", ["decimal", "percent", "currency", "unit"], "decimal"),
        notation: pick(options, "notation", ["standard", "compact", "scientific", "engineering"], "standard"),
        compactDisplay: pick(options, "compactDisplay", ["short", "long"], "short"),
        signDisplay: pick(options, "signDisplay", ["auto", "always", "never", "exceptZero", "negative"], "auto"),
        currencyDisplay: pick(options, "currencyDisplay", ["symbol", "narrowSymbol", "code", "name"], "symbol"),
        currencySign: pick(options, "currencySign", ["standard", "accounting"], "standard"),
        unitDisplay: pick(options, "unitDisplay", ["short", "narrow", "long"], "short"),
        minInteger: digitOption(options, "minimumIntegerDigits", 1, 21) ?? 1,
      };
      const grouping = options.useGrouping;
      o.grouping = grouping === undefined ? "auto" : grouping === false || grouping === "false" ? false : grouping === "min2" ? "min2" : "auto";
      if (o.notation === "compact" && grouping === undefined) o.grouping = "min2";
      if (o.style === "currency") {
        if (options.currency === undefined) throw new TypeError("Currency code is required with currency style");
        o.currency = `${options.currency}`.toUpperCase();
        if (!/^[A-Z]{3}$/.test(o.currency)) throw new RangeError(`Invalid currency code : ${options.currency}`);
      }
      if (o.style === "unit") {
        if (options.unit === undefined) throw new TypeError("Required unit is undefined with unit style");
        o.unit = `${options.unit}`;
      }
      this.#setDigits(o, options);
      this.#o = o;
    }
    #setDigits(o, options) {
      const minFraction = digitOption(options, "minimumFractionDigits", 0, 100);
      const maxFraction = digitOption(options, "maximumFractionDigits", 0, 100);
      const minSig = digitOption(options, "minimumSignificantDigits", 1, 21);
      const maxSig = digitOption(options, "maximumSignificantDigits", minSig ?? 1, 21);
      if (minSig !== undefined || maxSig !== undefined) {
        o.significant = [minSig ?? 1, maxSig ?? 21];
        return;
      }
      // By default, compact shows two significant digits below 100, else whole numbers.
      o.compactRounding = o.notation === "compact" && minFraction === undefined && maxFraction === undefined;
      const cents = o.style === "currency" && o.notation === "standard" ? (NO_CENTS.includes(o.currency) ? 0 : 2) : undefined;
      const least = cents ?? 0;
      const most = cents ?? (o.style === "percent" || o.notation === "compact" ? 0 : 3);
      if (minFraction !== undefined && maxFraction !== undefined && minFraction > maxFraction) {
        throw new RangeError("maximumFractionDigits value is out of range");
      }
      o.minFraction = minFraction ?? Math.min(least, maxFraction ?? least);
      o.maxFraction = maxFraction ?? Math.max(most, o.minFraction);
    }
    // Rounds the absolute value, given as decimal text, to the requested digits.
    #round(text) {
      const o = this.#o;
      if (o.significant !== undefined) return significant(text, ...o.significant);
      if (o.compactRounding) return Number(text) < 100 ? significant(text, 1, 2) : roundAt(text, 0);
      return trimZeros(roundAt(text, o.maxFraction), o.minFraction);
    }
    formatToParts(input) {
      const o = this.#o;
      let value = typeof input === "bigint" ? input : Number(input);
      const negative = value < 0 || Object.is(value, -0);
      if (negative) value = -value;
      let parts = [];
      let text = "";
      let step = 0;
      if (value !== value) parts.push({ type: "nan", value: "NaN" });
      else if (value === Infinity) parts.push({ type: "infinity", value: "∞" });
      else {
        let exponent = null;
        if (o.notation === "compact") {
          value = Number(value);
          while (step < 4 && value >= 1000) { value /= 1000; step++; }
          if (step < 4 && Number(this.#round(plain(`${value}`))) >= 1000) { value /= 1000; step++; }
        } else if (o.notation !== "standard") {
          value = Number(value);
          exponent = value === 0 ? 0 : Math.floor(Math.log10(value));
          if (o.notation === "engineering") exponent = Math.floor(exponent / 3) * 3;
          value /= 10 ** exponent;
        }
        const decimal = plain(`${value}`);
        text = this.#round(o.style === "percent" ? shift(decimal, 2) : decimal);
        parts = this.#digits(text);
        if (exponent !== null) {
          parts.push({ type: "exponentSeparator", value: "E" });
          if (exponent < 0) parts.push({ type: "exponentMinusSign", value: "-" });
          parts.push({ type: "exponentInteger", value: `${Math.abs(exponent)}` });
        }
        if (step > 0) {
          const suffix = COMPACT[step][o.compactDisplay === "long" ? 1 : 0];
          if (suffix[0] === " ") parts.push({ type: "literal", value: " " });
          parts.push({ type: "compact", value: suffix.trim() });
        }
      }
      const isZero = text !== "" && !/[1-9]/.test(text);
      return this.#decorate(parts, this.#sign(negative, isZero || value !== value), text);
    }
    #digits(text) {
      const [whole, fraction] = text.split(".");
      const { grouping, minInteger } = this.#o;
      const integer = whole.padStart(minInteger, "0");
      const parts = [];
      if (grouping === false || integer.length <= (grouping === "min2" ? 4 : 3)) {
        parts.push({ type: "integer", value: integer });
      } else {
        let from = 0;
        for (let to = integer.length % 3 || 3; from < integer.length; from = to, to += 3) {
          if (from > 0) parts.push({ type: "group", value: "," });
          parts.push({ type: "integer", value: integer.slice(from, to) });
        }
      }
      if (fraction !== undefined) parts.push({ type: "decimal", value: "." }, { type: "fraction", value: fraction });
      return parts;
    }
    #sign(negative, isZero) {
      switch (this.#o.signDisplay) {
        case "never": return "";
        case "always": return negative ? "-" : "+";
        case "exceptZero": return isZero ? "" : negative ? "-" : "+";
        case "negative": return negative && !isZero ? "-" : "";
        default: return negative ? "-" : "";
      }
    }
    #decorate(parts, sign, text) {
      const o = this.#o;
      const out = [];
      const accounting = o.style === "currency" && o.currencySign === "accounting" && sign === "-";
      if (accounting) out.push({ type: "literal", value: "(" });
      else if (sign !== "") out.push({ type: sign === "-" ? "minusSign" : "plusSign", value: sign });
      const one = text === "1";
      if (o.style === "currency" && o.currencyDisplay !== "name") {
        const symbol = o.currencyDisplay === "code" ? o.currency : (o.currencyDisplay === "narrowSymbol" && NARROW[o.currency]) || (SYMBOLS[o.currency] ?? o.currency);
        out.push({ type: "currency", value: symbol });
        if (/[A-Z]$/.test(symbol) && text !== "") out.push({ type: "literal", value: "\u00a0" });
      }
      out.push(...parts);
      if (o.style === "percent") out.push({ type: "percentSign", value: "%" });
      if (o.style === "currency" && o.currencyDisplay === "name") {
        out.push({ type: "literal", value: " " }, { type: "currency", value: CURRENCY_NAMES[o.currency]?.[one ? 0 : 1] ?? o.currency });
      }
      if (o.style === "unit") {
        let unit = o.unitDisplay === "long" ? undefined : UNITS[o.unit];
        unit ??= ` ${o.unit.replace("-per-", " per ")}${one ? "" : "s"}`;
        if (/^ (day|week|month|year)s?$/.test(unit) && o.unitDisplay !== "long") unit = { day: one ? " day" : " days", week: one ? " wk" : " wks", month: one ? " mth" : " mths", year: one ? " yr" : " yrs" }[o.unit];
        if (unit[0] === " ") out.push({ type: "literal", value: " " });
        out.push({ type: "unit", value: unit.trim() });
      }
      if (accounting) out.push({ type: "literal", value: ")" });
      return out;
    }
    get format() { return this.#bound ??= (value) => join(this.formatToParts(value)); }
    formatRange(from, to) {
      const [a, b] = [this.format(from), this.format(to)];
      return a === b ? `~${a}` : `${a}–${b}`;
    }
    resolvedOptions() {
      const o = this.#o;
      const out = { locale: LOCALE, numberingSystem: "latn", style: o.style };
      if (o.currency) Object.assign(out, { currency: o.currency, currencyDisplay: o.currencyDisplay, currencySign: o.currencySign });
      if (o.unit) Object.assign(out, { unit: o.unit, unitDisplay: o.unitDisplay });
      out.minimumIntegerDigits = o.minInteger;
      if (o.significant) [out.minimumSignificantDigits, out.maximumSignificantDigits] = o.significant;
      else Object.assign(out, { minimumFractionDigits: o.minFraction, maximumFractionDigits: o.maxFraction });
      return Object.assign(out, { useGrouping: o.grouping, notation: o.notation, signDisplay: o.signDisplay });
    }
    get [Symbol.toStringTag]() { return "Intl.NumberFormat"; }
  }

  // ---- dates

  const MONTHS = "January February March April May June July August September October November December".split(" ");
  const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
  const STYLES = ["full", "long", "medium", "short"];
  const DATE_STYLES = {
    full: { weekday: "long", month: "long", day: "numeric", year: "numeric" }, long: { month: "long", day: "numeric", year: "numeric" },
    medium: { month: "short", day: "numeric", year: "numeric" }, short: { month: "numeric", day: "numeric", year: "2-digit" },
  };
  const TIME_STYLES = {
    full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "long" }, long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
    medium: { hour: "numeric", minute: "2-digit", second: "2-digit" }, short: { hour: "numeric", minute: "2-digit" },
  };
  const TEXT = ["narrow", "short", "long"];
  const NUMERIC = ["2-digit", "numeric"];
  const FIELDS = {
    weekday: TEXT, era: TEXT, year: NUMERIC, month: [...NUMERIC, ...TEXT], day: NUMERIC, dayPeriod: TEXT,
    hour: NUMERIC, minute: NUMERIC, second: NUMERIC, timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"],
  };

  class DateTimeFormat {
    #o = {};
    #bound;
    // `needs` is what toLocaleDateString and toLocaleTimeString add if no field is requested.
    constructor(locales, options = {}, needs = "date") {
      checkLocales(locales);
      const o = this.#o;
      const zone = options.timeZone === undefined ? "UTC" : `${options.timeZone}`;
      if (!/^(etc\/)?(utc|gmt|uct|zulu|universal|greenwich)$|^[+-]00:?00$/i.test(zone)) {
        throw new RangeError(`The time zone \`${zone}\` is not available: the sandbox knows only UTC. Use a time tool of a server to convert`);
      }
      for (const key in FIELDS) o[key] = pick(options, key, FIELDS[key], undefined);
      o.fraction = digitOption(options, "fractionalSecondDigits", 1, 3);
      const dateStyle = pick(options, "dateStyle", STYLES, undefined);
      const timeStyle = pick(options, "timeStyle", STYLES, undefined);
      const cycle = pick(options, "hourCycle", ["h11", "h12", "h23", "h24"], "h12");
      const asked = ["weekday", "year", "month", "day", "dayPeriod", "hour", "minute", "second", "fraction"].some((key) => o[key] !== undefined);
      if (dateStyle !== undefined && needs === "timeOnly") throw new TypeError("Invalid option : dateStyle");
      if (timeStyle !== undefined && needs === "dateOnly") throw new TypeError("Invalid option : timeStyle");
      if (dateStyle !== undefined || timeStyle !== undefined) {
        if (asked) throw new TypeError("Can't set option dateStyle or timeStyle together with single fields");
        Object.assign(o, DATE_STYLES[dateStyle], TIME_STYLES[timeStyle], { dateStyle, timeStyle });
      } else {
        const has = (...keys) => keys.some((key) => o[key] !== undefined);
        const missing = needs === "dateOnly" ? !has("weekday", "year", "month", "day")
          : needs === "timeOnly" ? !has("dayPeriod", "hour", "minute", "second", "fraction") : !asked;
        if (missing && needs !== "timeOnly") Object.assign(o, { year: "numeric", month: "numeric", day: "numeric" });
        if (missing && needs !== "date" && needs !== "dateOnly") Object.assign(o, { hour: "numeric", minute: "2-digit", second: "2-digit" });
      }
      o.cycle = options.hour12 === undefined ? cycle : options.hour12 ? "h12" : "h23";
    }
    formatToParts(value) {
      const time = value === undefined ? Date.now() : Number(value);
      const date = new Date(time);
      if (Number.isNaN(date.getTime())) throw new RangeError("Invalid time value");
      const o = this.#o;
      const day = this.#dateParts(date);
      const clock = this.#timeParts(date);
      if (day.length > 0 && clock.length > 0) {
        // With a style: "full" and "long" dates; with fields: a month written out.
        const at = o.dateStyle ? o.dateStyle === "full" || o.dateStyle === "long" : o.month === "long";
        day.push({ type: "literal", value: clock[0].type === "timeZoneName" ? ", " : day.length === 1 && o.weekday ? " " : at ? " at " : ", " });
      }
      return [...day, ...clock];
    }
    #dateParts(date) {
      const o = this.#o;
      const part = (type, value) => ({ type, value });
      const two = (n) => `${n}`.padStart(2, "0");
      const named = (names, i, style) => style === "long" ? names[i] : style === "short" ? names[i].slice(0, 3) : names[i][0];
      let year = date.getUTCFullYear();
      const era = o.era && (year > 0 ? ["A", "AD", "Anno Domini"] : ["B", "BC", "Before Christ"])[TEXT.indexOf(o.era)];
      if (year <= 0) year = 1 - year;
      const m = date.getUTCMonth();
      const d = date.getUTCDate();
      const weekday = o.weekday && part("weekday", named(DAYS, date.getUTCDay(), o.weekday));
      const textMonth = TEXT.includes(o.month);
      const month = o.month && part("month", textMonth ? named(MONTHS, m, o.month) : o.month === "2-digit" ? two(m + 1) : `${m + 1}`);
      const day = o.day && part("day", o.day === "2-digit" ? two(d) : `${d}`);
      const yearPart = o.year && part("year", o.year === "2-digit" ? two(year % 100) : `${year}`);
      const out = [];
      const add = (item, separator) => {
        if (!item) return;
        if (out.length > 0) out.push(part("literal", separator));
        out.push(item);
      };
      if (weekday && day && !month && !yearPart) {
        add(day, "");
        add(weekday, " ");
      } else if (textMonth) {
        add(weekday, "");
        add(month, weekday && day ? ", " : " ");
        add(day, " ");
        add(yearPart, day ? ", " : " ");
      } else {
        add(weekday, "");
        add(month, ", ");
        add(day, month ? "/" : ", ");
        add(yearPart, month || day ? "/" : ", ");
      }
      if (era) add(part("era", era), " ");
      return out;
    }
    #timeParts(date) {
      const o = this.#o;
      const out = [];
      const two = (n) => `${n}`.padStart(2, "0");
      const add = (type, value, separator) => {
        if (out.length > 0) out.push({ type: "literal", value: separator });
        out.push({ type, value });
      };
      const half = o.cycle === "h12" || o.cycle === "h11";
      const hours = date.getUTCHours();
      if (o.hour) {
        const n = o.cycle === "h12" ? hours % 12 || 12 : o.cycle === "h11" ? hours % 12 : o.cycle === "h24" ? hours || 24 : hours;
        add("hour", o.hour === "2-digit" || !half ? two(n) : `${n}`, "");
      }
      const alone = [o.hour, o.minute, o.second].filter(Boolean).length < 2;
      if (o.minute) add("minute", alone ? `${date.getUTCMinutes()}` : two(date.getUTCMinutes()), ":");
      if (o.second) add("second", alone ? `${date.getUTCSeconds()}` : two(date.getUTCSeconds()), ":");
      if (o.fraction) add("fractionalSecond", `${date.getUTCMilliseconds()}`.padStart(3, "0").slice(0, o.fraction), ".");
      if (o.hour && half) add("dayPeriod", hours < 12 ? "AM" : "PM", " ");
      if (o.timeZoneName) {
        const name = o.timeZoneName === "long" ? "Coordinated Universal Time" : o.timeZoneName === "short" ? "UTC" : "GMT";
        add("timeZoneName", name, " ");
      }
      return out;
    }
    get format() { return this.#bound ??= (value) => join(this.formatToParts(value)); }
    formatRange(from, to) {
      const [a, b] = [this.format(from), this.format(to)];
      return a === b ? a : `${a} – ${b}`;
    }
    resolvedOptions() {
      const o = this.#o;
      const out = { locale: LOCALE, calendar: "gregory", numberingSystem: "latn", timeZone: "UTC" };
      if (o.hour) Object.assign(out, { hourCycle: o.cycle, hour12: o.cycle === "h12" || o.cycle === "h11" });
      for (const key of o.dateStyle || o.timeStyle ? ["dateStyle", "timeStyle"] : Object.keys(FIELDS)) if (o[key] !== undefined) out[key] = o[key];
      return out;
    }
    get [Symbol.toStringTag]() { return "Intl.DateTimeFormat"; }
  }

  // ---- order, plurals, lists, relative time

  const bare = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  // White space, punctuation, digits, letters, as in ICU; then by letter, accent, case.
  const MARKS = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
  const SIMPLE = /^[A-Za-z0-9 ]*$/;
  const rank = (char) => /\s/.test(char) ? 0 : /\d/.test(char) ? 2 : /\p{L}/u.test(char) ? 3 : 1;

  function compareText(left, right, options) {
    const { sensitivity = "variant", numeric = false } = options;
    if (left === right) return 0;
    // Sorting calls this often. For these characters, code order is the rank.
    if (!numeric && SIMPLE.test(left) && SIMPLE.test(right)) {
      const [a, b] = [left.toLowerCase(), right.toLowerCase()];
      if (a !== b) return a < b ? -1 : 1;
    }
    const fold = (text) => bare(text).toLowerCase();
    const primary = compareChunks(fold(left), fold(right), numeric);
    if (primary !== 0 || sensitivity === "base") return primary;
    if (sensitivity !== "case") {
      const [a, b] = [left.normalize("NFD").toLowerCase(), right.normalize("NFD").toLowerCase()];
      if (a !== b) return a < b ? -1 : 1;
      if (sensitivity === "accent") return 0;
    }
    const [a, b] = [bare(left), bare(right)];
    // Lower case first: at the first difference, the greater code is the lower-case letter.
    for (let i = 0; i < a.length && i < b.length; i++) {
      if (a[i] !== b[i]) return (a[i] > b[i] ? -1 : 1) * (options.caseFirst === "upper" ? -1 : 1);
    }
    return 0;
  }

  function compareChunks(a, b, numeric) {
    let i = 0;
    let j = 0;
    while (i < a.length && j < b.length) {
      const x = a[i];
      const y = b[j];
      if (numeric && x >= "0" && x <= "9" && y >= "0" && y <= "9") {
        const [p] = /^\d+/.exec(a.slice(i));
        const [q] = /^\d+/.exec(b.slice(j));
        const [m, n] = [p.replace(/^0+/, ""), q.replace(/^0+/, "")];
        if (m.length !== n.length) return m.length < n.length ? -1 : 1;
        if (m !== n) return m < n ? -1 : 1;
        i += p.length;
        j += q.length;
        continue;
      }
      if (x !== y) {
        const [r, s] = [rank(x), rank(y)];
        if (r !== s) return r < s ? -1 : 1;
        const [p, q] = r === 1 ? [MARKS.indexOf(x), MARKS.indexOf(y)] : [0, 0];
        return p === q ? (x < y ? -1 : 1) : p < q ? -1 : 1;
      }
      i++;
      j++;
    }
    return a.length - i === b.length - j ? 0 : a.length - i < b.length - j ? -1 : 1;
  }

  class Collator {
    #o;
    #bound;
    constructor(locales, options = {}) {
      checkLocales(locales);
      this.#o = {
        usage: pick(options, "usage", ["sort", "search"], "sort"), sensitivity: pick(options, "sensitivity", ["base", "accent", "case", "variant"], "variant"),
        ignorePunctuation: !!options.ignorePunctuation, collation: "default", numeric: !!options.numeric, caseFirst: pick(options, "caseFirst", ["upper", "lower", "false"], "false"),
      };
    }
    get compare() {
      const strip = (text) => this.#o.ignorePunctuation ? text.replace(/[\s\p{P}]/gu, "") : text;
      return this.#bound ??= (a, b) => compareText(strip(`${a}`), strip(`${b}`), this.#o);
    }
    resolvedOptions() { return { locale: LOCALE, ...this.#o }; }
    get [Symbol.toStringTag]() { return "Intl.Collator"; }
  }

  class PluralRules {
    #type;
    #format;
    constructor(locales, options = {}) {
      checkLocales(locales);
      this.#type = pick(options, "type", ["cardinal", "ordinal"], "cardinal");
      this.#format = new NumberFormat(locales, options);
    }
    select(value) {
      const n = Math.abs(Number(value));
      if (this.#type === "cardinal") return join(this.#format.formatToParts(n)) === "1" ? "one" : "other";
      const teen = n % 100 >= 11 && n % 100 <= 13;
      return teen ? "other" : { 1: "one", 2: "two", 3: "few" }[n % 10] ?? "other";
    }
    resolvedOptions() {
      return { locale: LOCALE, type: this.#type, pluralCategories: this.#type === "cardinal" ? ["one", "other"] : ["few", "one", "two", "other"] };
    }
    get [Symbol.toStringTag]() { return "Intl.PluralRules"; }
  }

  class ListFormat {
    #o;
    constructor(locales, options = {}) {
      checkLocales(locales);
      this.#o = { type: pick(options, "type", ["conjunction", "disjunction", "unit"], "conjunction"), style: pick(options, "style", ["long", "short", "narrow"], "long") };
    }
    formatToParts(list) {
      const items = Array.from(list, (item) => {
        if (typeof item !== "string") throw new TypeError("Iterable yielded a non-String value");
        return item;
      });
      const { type, style } = this.#o;
      const word = type === "unit" ? "" : type === "disjunction" ? "or" : style === "long" ? "and" : style === "short" ? "&" : "";
      const comma = type === "unit" && style === "narrow" ? " " : ", ";
      const out = [];
      items.forEach((value, i) => {
        if (i > 0) {
          const isLast = i === items.length - 1;
          out.push({ type: "literal", value: !isLast || word === "" ? comma : items.length === 2 ? ` ${word} ` : `, ${word} ` });
        }
        out.push({ type: "element", value });
      });
      return out;
    }
    format(list) { return join(this.formatToParts(list)); }
    resolvedOptions() { return { locale: LOCALE, ...this.#o }; }
    get [Symbol.toStringTag]() { return "Intl.ListFormat"; }
  }

  const SHORT_UNITS = { second: "sec.", minute: "min.", hour: "hr.", day: "day", week: "wk.", month: "mo.", quarter: "qtr.", year: "yr." };
  const NARROW_UNITS = { second: "s", minute: "m", hour: "h", day: "d", week: "w", month: "mo", quarter: "q", year: "y" };
  class RelativeTimeFormat {
    #o;
    constructor(locales, options = {}) {
      checkLocales(locales);
      this.#o = { style: pick(options, "style", ["long", "short", "narrow"], "long"), numeric: pick(options, "numeric", ["always", "auto"], "always") };
    }
    format(amount, unitName) {
      const value = Number(amount);
      const unit = `${unitName}`.replace(/s$/, "");
      if (!(unit in SHORT_UNITS)) throw new RangeError(`Invalid unit argument for format() '${unitName}'`);
      if (!Number.isFinite(value)) throw new RangeError("Invalid time value");
      const { style, numeric } = this.#o;
      const past = value < 0 || Object.is(value, -0);
      if (numeric === "auto") {
        if (unit === "day" && (value === 0 || value === 1 || value === -1)) return value === 0 ? "today" : value === 1 ? "tomorrow" : "yesterday";
        if (unit === "second" && value === 0) return "now";
        const name = style === "long" || unit === "day" ? unit : style === "short" || unit === "minute" || unit === "hour" ? (unit === "minute" || unit === "hour" ? unit : SHORT_UNITS[unit]) : SHORT_UNITS[unit];
        if (value === 0) return `this ${name}`;
        if ((value === 1 || value === -1) && !["second", "minute", "hour"].includes(unit)) return `${past ? "last" : "next"} ${name}`;
      }
      const number = join(new NumberFormat().formatToParts(Math.abs(value)));
      const many = number !== "1";
      const label = style === "narrow" ? NARROW_UNITS[unit] : style === "short"
        ? ` ${unit === "day" ? (many ? "days" : "day") : unit === "quarter" && many ? "qtrs." : SHORT_UNITS[unit]}` : ` ${unit}${many ? "s" : ""}`;
      return past ? `${number}${label} ago` : `in ${number}${label}`;
    }
    resolvedOptions() { return { locale: LOCALE, ...this.#o, numberingSystem: "latn" }; }
    get [Symbol.toStringTag]() { return "Intl.RelativeTimeFormat"; }
  }

  class Segmenter {
    constructor() { throw new Error("`Intl.Segmenter` is not available in the sandbox: split with a regular expression or `Array.from(text)`"); }
  }

  const Intl = { getCanonicalLocales: supported.supportedLocalesOf, supportedValuesOf: (key) => key === "timeZone" ? ["UTC"] : [] };
  for (const Class of [NumberFormat, DateTimeFormat, Collator, PluralRules, ListFormat, RelativeTimeFormat, Segmenter]) {
    Object.assign(Class, supported);
    const value = Class === NumberFormat || Class === DateTimeFormat || Class === Collator ? callable(Class) : Class;
    if (value !== Class) Object.defineProperty(Class.prototype, "constructor", { value, writable: true, configurable: true });
    Intl[Class.name] = value;
  }
  for (const key of Object.keys(Intl)) Object.defineProperty(Intl, key, { enumerable: false });
  Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });

  // ---- locale methods of Number, BigInt, Date and String

  const numberValue = host.prim.NumberValueOf;
  const dateText = (needs) => (date, locales, options) => {
    const time = host.prim.DateGetTime(date);
    const format = new DateTimeFormat(locales, options ?? {}, needs);
    return time === time ? format.format(time) : "Invalid Date";
  };
  const standard = new NumberFormat();
  const localized = {
    Number: { toLocaleString: (value, locales, options) => (locales === undefined && options === undefined ? standard : new NumberFormat(locales, options)).format(numberValue(value)) },
    BigInt: { toLocaleString: (value, locales, options) => new NumberFormat(locales, options).format(host.prim.BigIntValueOf(value)) },
    Date: { toLocaleString: dateText("any"), toLocaleDateString: dateText("dateOnly"), toLocaleTimeString: dateText("timeOnly") },
    String: {
      localeCompare(text, other, locales, options) {
        if (options === undefined) return compareText(`${text}`, `${other}`, {});
        return new Collator(locales, options).compare(`${text}`, `${other}`);
      },
    },
  };

  return { crypto, performance, Intl, localized };
})
