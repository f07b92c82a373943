// expect: error limit.time: the program hit its limit `time` of 500 ms: it ran for {n} ms
// hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
// timeout: 500 ms
// within: 1000 ms
function* forever() { try { while (true) yield 1; } finally { while (true) yield 2; } }
for (const n of forever()) if (n === 3) break;
