// expect: error limit.time: the program hit its limit `time` of 1 s: it ran for {n} ms
// hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
// timeout: 1000 ms
// within: 1500 ms
const rows: unknown[] = [];
while (true) { try { while (true) rows.push({}); } catch {} }
