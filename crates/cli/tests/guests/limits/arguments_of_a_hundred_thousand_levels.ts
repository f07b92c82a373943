// expect: error limit.stack: the program recursed too deeply
// hint: use a loop, or end the recursion earlier
// calls: 0
let text: any = '';
for (let i = 0; i < 100_000; i++) text = { text };
await servers.hostile.echo(text);
