// expect: error call.bad_argument at line 3, column 23: `hostile__add` got an integer of more than 64 bits in `a`
// hint: pass it as text
await servers.hostile.add({ a: 2n ** 64n, b: 2 });
