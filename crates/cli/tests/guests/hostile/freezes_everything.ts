// expect: output "frozen"
for (const thing of [Object, Array, Promise, Map, String, Function, Error, JSON, globalThis]) {
  Object.freeze((thing as any).prototype ?? {});
  Object.freeze(thing);
}
return await servers.hostile.echo({ text: 'frozen' });
