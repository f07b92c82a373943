// expect: error call.bad_argument at line 3, column 23: `hostile__echo` takes one object with named arguments, got a list
// hint: write `echo({ text: … })`
await servers.hostile.echo({ toJSON: () => ['a', 'b'] });
