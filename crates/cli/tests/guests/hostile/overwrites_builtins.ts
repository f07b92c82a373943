// expect: output "true"
JSON.parse = () => 'forged';
JSON.stringify = () => '{"text":"forged"}';
Map.prototype.get = () => undefined;
Object.defineProperty = () => { throw new Error('defineProperty'); };
const text = await servers.hostile.echo({ text: 'true' }).catch((error: Error) => error.message);
return text;
