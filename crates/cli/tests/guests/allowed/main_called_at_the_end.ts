// expect: output "main"
async function main() {
  const text = await servers.hostile.echo({ text: 'main' });
  return text;
}

main().catch(console.error);
