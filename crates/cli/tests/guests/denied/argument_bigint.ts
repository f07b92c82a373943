// expect: error call.bad_argument at line 3, column 23: `hostile__add` got a BigInt in `a`, which JSON cannot hold
// hint: pass a number or text
await servers.hostile.add({ a: 1n, b: 2 });
