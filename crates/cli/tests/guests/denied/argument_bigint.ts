// expect: error program.threw at line 3, column 23: the program threw: `hostile__add` got an integer of more than 64 bits in `a`
// hint: the run suggests: pass it as text
await servers.hostile.add({ a: 2n ** 64n, b: 2 });
