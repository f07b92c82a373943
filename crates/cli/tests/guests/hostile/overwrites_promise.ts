// expect: output "function"
const { echo } = servers.hostile;
globalThis.Promise = function () { throw new Error('no promises'); } as any;
return typeof Promise;
