// expect: error limit.time: the program hit its limit `time` of 500 ms: it ran for {n} ms
// hint: do less per run, or ask for a larger `timeout_ms`, up to 20000
// timeout: 500 ms
// within: 1000 ms
// No place: the engine looks at the clock each 10,000 calls and jumps, and in a
// jump it still names the call before.
await servers.hostile.echo({ text: 'first' });
for (;;) Math.max(1);
