// expect: output ["forged","real"]
globalThis.servers = { hostile: { echo: async () => 'forged' } };
globalThis.callMCPTool = async () => 'forged';
globalThis.console = null;
const { hostile } = await import('./servers');
return [await servers.hostile.echo({ text: 'a' }), await hostile.echo({ text: 'real' })];
