// expect: error limit.time: the program ran longer than its limit of 500 ms
// hint: do less per run, or let the user raise `limits.time`
// timeout: 500 ms
// within: 1000 ms
// No place: the engine looks at the clock each 10,000 calls and jumps, and in a
// jump it still names the call before.
await servers.hostile.echo({ text: 'first' });
for (;;) Math.max(1);
