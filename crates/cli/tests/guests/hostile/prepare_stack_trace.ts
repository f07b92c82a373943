// expect: output {"stack":"/home/host/secret","seen":["undefined,function"]}
let seen: string[] = [];
Error.prepareStackTrace = (error, sites) => {
  seen = (sites as any[]).map((site) => [typeof site.getThis?.(), typeof site.getFunction?.()].join());
  return '/home/host/secret';
};
const stack = String(new Error('x').stack);
await servers.hostile.echo({ text: 'a' });
return { stack, seen: [...new Set(seen)] };
