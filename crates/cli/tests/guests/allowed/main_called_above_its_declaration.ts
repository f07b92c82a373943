// expect: output "hoisted"
await main();

async function main() {
  return await servers.hostile.echo({ text: 'hoisted' });
}
