// expect: error program.threw at line 3, column 23: the program threw: `hostile__echo` takes one object with named arguments, got one that is nothing in JSON
// hint: the run suggests: write `tool({ name: value })`
await servers.hostile.echo({ toJSON: () => undefined });
