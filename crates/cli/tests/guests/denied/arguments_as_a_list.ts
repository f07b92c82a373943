// expect: error call.bad_argument at line 3, column 23: `hostile__add` takes one object with named arguments, got a list
// hint: write `add({ a: …, b: … })`
await servers.hostile.add([1, 2]);
