// expect: output {"before":"before","after":"after","refused":"`hostile__echo` needs `text` (string)"}
const before = await servers.hostile.echo({ text: 'before' });
Object.prototype.text = 'polluted';
Object.prototype.extra = 'polluted';
Object.prototype.raw = true;
Array.prototype.push = () => { throw new Error('push'); };
Array.prototype.map = () => ['polluted'];
String.prototype.indexOf = () => 1;
String.prototype.slice = () => 'polluted';
Function.prototype.call = () => 'polluted';
const after = await servers.hostile.echo({ text: 'after' });
let refused;
try { await servers.hostile.echo({}); } catch (error) { refused = error.message; }
return { before, after, refused };
