// expect: error program.threw at line 2, column 34: in a microtask
queueMicrotask(() => { throw new Error('in a microtask'); });
await servers.hostile.echo({ text: 'a' });
