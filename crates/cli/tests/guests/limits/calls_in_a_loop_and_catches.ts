// expect: output 200
// calls: 700
let refused = 0;
for (let i = 0; i < 700; i++) await servers.hostile.echo({ text: '' }).catch((error) => { if (error.code === 'limit.tool_calls') refused++; });
return refused;
