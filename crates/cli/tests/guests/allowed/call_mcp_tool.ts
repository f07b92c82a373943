// expect: output ["hostile__echo","hostile.echo","hostile/echo","mcp__hostile__echo","Hostile__Echo","echo"]
const names = ['hostile__echo', 'hostile.echo', 'hostile/echo', 'mcp__hostile__echo', 'Hostile__Echo', 'echo'];

return Promise.all(names.map((name) => callMCPTool(name, { text: name })));
