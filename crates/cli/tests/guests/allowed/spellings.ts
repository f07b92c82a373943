// expect: output ["read_quietly 1","read_quietly 2","odd-name.with.dots 3","odd-name.with.dots 4","read_quietly 5","delete 6"]
// A function is camelCase, the tool's own spelling works too, and so does any
// other way to write the same letters.
const { hostile } = servers;

return [
  await hostile.readQuietly({ target: '1' }),
  await hostile.read_quietly({ target: '2' }),
  await hostile['odd-name.with.dots']({ target: '3' }),
  await hostile.oddNameWithDots({ target: '4' }),
  await hostile.ReadQuietly({ target: '5' }),
  await hostile.delete({ target: '6' }),
];
