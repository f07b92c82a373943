// expect: nothing
const quiet = await servers.hostile.echo({ text: 'nobody looks' });
