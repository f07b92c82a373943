// expect: error program.threw at line 2, column 34: the program threw: in a microtask
queueMicrotask(() => { throw new Error('in a microtask'); });
await servers.hostile.echo({ text: 'a' });
