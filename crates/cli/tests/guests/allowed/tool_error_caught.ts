// expect: output {"name":"ToolError","message":"`hostile__fail` failed, its server says: out of stock","code":"call.tool_failed","server":"hostile","tool":"fail","is":[true,true]}
try {
  await servers.hostile.fail({ message: 'out of stock' });
} catch (error) {
  const { name, message, code, server, tool } = error as ToolError;
  return { name, message, code, server, tool, is: [error instanceof ToolError, error instanceof Error] };
}
