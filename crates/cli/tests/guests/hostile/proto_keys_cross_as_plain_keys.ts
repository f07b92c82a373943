// expect: output {"keys":["__proto__","constructor"],"polluted":"undefined","output":{"__proto__":{"polluted":1},"constructor":{"prototype":2}},"refused":"`hostile__echo` has no `__proto__`"}
const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":2}}';
const answer = await servers.hostile.echo({ text });
const sent = JSON.parse('{"text":"a","__proto__":{"b":1}}');
let refused;
try { await servers.hostile.echo(sent); } catch (error) { refused = error.message; }
return { keys: Object.keys(answer), polluted: typeof answer.polluted, output: JSON.parse(text), refused };
