// expect: output 4000000
const text = await servers.hostile.huge({ bytes: 4_000_000 });
return text.length;
