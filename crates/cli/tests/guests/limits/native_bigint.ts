// expect: error limit.time: the program hit its limit `time` of 500 ms: it ran for {n} ms
// hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
// timeout: 500 ms
// within: 1000 ms
let n = 3n;
while (true) n = (n * n) % (1n << 500_000n);
