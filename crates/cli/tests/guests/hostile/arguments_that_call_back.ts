// expect: output ["outer","inner"]
// calls: 2
let inner;
const outer = await servers.hostile.echo({ get text() { inner ??= servers.hostile.echo({ text: 'inner' }); return 'outer'; } });
return [outer, await inner];
