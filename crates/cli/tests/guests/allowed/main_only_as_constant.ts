// expect: output "a constant main"
const text = 'a constant main';
const main = async () => servers.hostile.echo({ text });
