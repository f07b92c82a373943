// expect: error call.bad_argument at line 6, column 28: the arguments of `hostile__echo` are nested deeper than 100 levels of lists and objects
// hint: send a flatter value, or text
// calls: 1
let text: any = 'deep';
for (let i = 0; i < 130; i++) text = { text };
await servers.hostile.echo(text);
