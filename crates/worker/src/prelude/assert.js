// A minimal version of Node's `assert` module.
//
// In: `host.use("util")` to compare and format. Out: the function `assert` with its methods.
// Not supported: coloured diffs, `CallTracker`, `partialDeepStrictEqual`.
(function (host) {
  "use strict";
  const { inspect, isDeepStrictEqual, isDeepEqual } = host.use("util");

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator }) {
      super(message);
      this.code = "ERR_ASSERTION";
      this.generatedMessage = false;
      Object.assign(this, { actual, expected, operator });
    }
  }

  Object.defineProperty(AssertionError.prototype, "name", { value: "AssertionError", writable: true, configurable: true });

  function check(passed, message, fallback, actual, expected, operator) {
    if (passed) return;
    if (message instanceof Error) throw message;
    throw new AssertionError({ message: message ?? fallback(), actual, expected, operator });
  }
  const two = (text, a, b) => () => `${text}\n\nactual:   ${inspect(a)}\nexpected: ${inspect(b)}`;

  // Whether a thrown value is the expected one: true, or a text that describes the difference.
  function matches(error, expected) {
    if (expected === undefined || typeof expected === "string") return true;
    if (expected instanceof RegExp) return expected.test(String(error)) || `The error does not match ${expected}: ${inspect(error)}`;
    if (typeof expected === "function") {
      if (expected.prototype !== undefined && error instanceof expected) return true;
      if (Error.isPrototypeOf(expected) || expected === Error) return `The error is not of the class ${expected.name}: ${inspect(error)}`;
      return expected.call({}, error) === true || `The validation function did not return true for ${inspect(error)}`;
    }
    for (const key of expected instanceof Error ? ["name", "message"] : Object.keys(expected)) {
      const wanted = expected[key];
      const passes = wanted instanceof RegExp && typeof error?.[key] === "string" ? wanted.test(error[key]) : isDeepStrictEqual(error?.[key], wanted);
      if (!passes) return `The error has another \`${key}\`: ${inspect(error?.[key])}, expected ${inspect(wanted)}`;
    }
    return true;
  }
  function judge(outcome, expected, message, operator) {
    if (typeof expected === "string") message = expected;
    check(outcome.threw, message, () => `Missing expected ${operator === "rejects" ? "rejection" : "exception"}.`, undefined, expected, operator);
    const verdict = matches(outcome.error, expected);
    if (verdict === true) return;
    // The unexpected error itself says more than a message that it was not expected.
    if (typeof expected === "function" && !(message ?? false)) throw outcome.error;
    check(false, message, () => verdict, outcome.error, expected, operator);
  }
  const attempt = (fn) => {
    if (typeof fn !== "function") throw new TypeError('The "fn" argument must be of type function');
    try { fn(); return { threw: false }; } catch (error) { return { threw: true, error }; }
  };
  const attemptAsync = async (input) => {
    const promise = typeof input === "function" ? input() : input;
    try { await promise; return { threw: false }; } catch (error) { return { threw: true, error }; }
  };

  function assert(value, message) {
    check(value, message, () => `The expression evaluated to a falsy value: ${inspect(value)}`, value, true, "==");
  }
  const loose = {
    equal(a, b, message) { check(a == b || a !== a && b !== b, message, () => `${inspect(a)} == ${inspect(b)}`, a, b, "=="); }, // eslint-disable-line eqeqeq
    notEqual(a, b, message) { check(a != b && (a === a || b === b), message, () => `${inspect(a)} != ${inspect(b)}`, a, b, "!="); }, // eslint-disable-line eqeqeq
    deepEqual(a, b, message) { check(isDeepEqual(a, b), message, two("Expected values to be loosely deep-equal:", a, b), a, b, "deepEqual"); },
    notDeepEqual(a, b, message) { check(!isDeepEqual(a, b), message, () => `Expected "actual" not to be loosely deep-equal to: ${inspect(b)}`, a, b, "notDeepEqual"); },
  };
  const common = {
    ok: (value, message) => assert(value, message),
    strictEqual(a, b, message) { check(Object.is(a, b), message, two("Expected values to be strictly equal:", a, b), a, b, "strictEqual"); },
    notStrictEqual(a, b, message) { check(!Object.is(a, b), message, () => `Expected "actual" to be strictly unequal to: ${inspect(b)}`, a, b, "notStrictEqual"); },
    deepStrictEqual(a, b, message) { check(isDeepStrictEqual(a, b), message, two("Expected values to be strictly deep-equal:", a, b), a, b, "deepStrictEqual"); },
    notDeepStrictEqual(a, b, message) { check(!isDeepStrictEqual(a, b), message, () => `Expected "actual" not to be strictly deep-equal to: ${inspect(b)}`, a, b, "notDeepStrictEqual"); },
    throws(fn, expected, message) { judge(attempt(fn), expected, message, "throws"); },
    doesNotThrow(fn, message) {
      const outcome = attempt(fn);
      check(!outcome.threw, typeof message === "string" ? message : undefined, () => `Got unwanted exception.\nActual message: "${outcome.error?.message}"`, outcome.error, undefined, "doesNotThrow");
    },
    async rejects(input, expected, message) { judge(await attemptAsync(input), expected, message, "rejects"); },
    async doesNotReject(input) {
      const outcome = await attemptAsync(input);
      check(!outcome.threw, undefined, () => `Got unwanted rejection.\nActual message: "${outcome.error?.message}"`, outcome.error, undefined, "doesNotReject");
    },
    fail(message = "Failed") { check(false, message, () => "Failed", undefined, undefined, "fail"); },
    match(text, pattern, message) { check(typeof text === "string" && pattern.test(text), message, () => `The input did not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`, text, pattern, "match"); },
    doesNotMatch(text, pattern, message) { check(typeof text !== "string" || !pattern.test(text), message, () => `The input was expected to not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`, text, pattern, "doesNotMatch"); },
    ifError(value) { if (value !== null && value !== undefined) throw value instanceof Error ? value : new AssertionError({ message: `ifError got unwanted exception: ${inspect(value)}`, actual: value, expected: null, operator: "ifError" }); },
    AssertionError,
  };
  Object.assign(assert, common, loose);
  const strict = (value, message) => assert(value, message);
  Object.assign(strict, common, {
    equal: common.strictEqual, notEqual: common.notStrictEqual, deepEqual: common.deepStrictEqual, notDeepEqual: common.notDeepStrictEqual,
  });
  assert.strict = strict;
  strict.strict = strict;
  return assert;
})
