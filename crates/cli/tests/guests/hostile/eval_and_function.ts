// expect: output [2,"object",8,"from a string","undefined"]
// They run inside, with what a program has anyway.
const AsyncFunction = (async () => {}).constructor as any;
return [
  eval('1 + 1'),
  (0, eval)('typeof servers'),
  new Function('a', 'return a * 2')(4),
  await new AsyncFunction("return (await servers.hostile.echo({ text: 'from a string' }))")(),
  typeof eval('process').binding,
];
