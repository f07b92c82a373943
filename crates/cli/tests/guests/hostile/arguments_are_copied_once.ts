// expect: output {"getter":"read 1","proxy":"proxy","to_json":"toJSON","gets":1,"trapped":true}
// calls: 3
let gets = 0;
let traps = 0;
const proxy = new Proxy({ text: 'proxy' }, { get(target, key) { traps++; return target[key]; } });
return {
  getter: await servers.hostile.echo({ get text() { gets++; return `read ${gets}`; } }),
  proxy: await servers.hostile.echo(proxy),
  to_json: await servers.hostile.echo({ toJSON: () => ({ text: 'toJSON' }) }),
  gets,
  trapped: traps > 0,
};
