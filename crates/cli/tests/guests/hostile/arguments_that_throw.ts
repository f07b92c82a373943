// expect: output ["getter","toJSON","ownKeys"]
// calls: 0
const caught: string[] = [];
for (const input of [
  { get text() { throw new Error('getter'); } },
  { toJSON() { throw new Error('toJSON'); } },
  new Proxy({}, { ownKeys() { throw new Error('ownKeys'); } }),
]) {
  try { await servers.hostile.echo(input); } catch (error) { caught.push(error.message); }
}
return caught;
