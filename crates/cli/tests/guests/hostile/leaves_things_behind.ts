// expect: output ["string","leaked"]
// The hello after each program shows that none of this is still there.
globalThis.leaked = 'leaked';
Object.prototype.leaked = 'leaked';
(servers.hostile as any).leaked = 'leaked';
process.leaked = 'leaked';
return [typeof leaked, ({} as any).leaked];
