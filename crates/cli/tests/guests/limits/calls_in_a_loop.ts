// expect: error limit.tool_calls at line 4, column 73: the program hit its limit `tool_calls` of 500 calls: it made {n} calls
// hint: call tools that take lists, or let the user raise `limits.tool_calls`
// calls: 501
for (let i = 0; i < 100_000; i++) await servers.hostile.echo({ text: `${i}` });
