// expect: output 4000000
const text = await servers.hostile.echo({ text: 'x'.repeat(4_000_000) });
return text.length;
