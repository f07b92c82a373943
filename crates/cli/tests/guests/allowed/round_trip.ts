// expect: output {"same":[true,true,true,true,true,true,true,true,true,true],"sums":[0.30000000000000004,1e+300,0,9007199254740992,1]}
// What the program sends is what the server gets, and back.
const texts = ['', ' ', '"quotes" \\ and \\n', 'new\nline\r\n\ttab', '\u0000\u0001\u001b[31m', 'é e\u0301 ß 世界 🌍 👩‍👩‍👧', '\u202e\u2028\u2029\ufeff', '42', 'null', 'x'.repeat(100_000)];
const echoed = await Promise.all(texts.map((text) => servers.hostile.echo({ text })));
const sums = await Promise.all([[0.1, 0.2], [1e300, 1], [-5, 5], [2 ** 53, 0], [1.5, -0.5]].map(([a, b]) => servers.hostile.add({ a, b })));

return { same: echoed.map((text, i) => text === texts[i]), sums: sums.map(Number) };
