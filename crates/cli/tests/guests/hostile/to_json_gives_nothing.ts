// expect: error call.bad_argument at line 3, column 23: `hostile__echo` takes one object with named arguments, got one that is nothing in JSON
// hint: write `tool({ name: value })`
await servers.hostile.echo({ toJSON: () => undefined });
