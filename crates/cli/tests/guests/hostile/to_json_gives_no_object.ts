// expect: error call.bad_argument at line 3, column 23: `hostile__echo` takes one object with named arguments
// hint: write `tool({ name: value })`; data may be nested up to 128 levels
await servers.hostile.echo({ toJSON: () => ['a', 'b'] });
