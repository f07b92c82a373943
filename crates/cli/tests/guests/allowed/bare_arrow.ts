// expect: output "bare arrow"
async () => {
  const text = await servers.hostile.echo({ text: 'bare arrow' });
  return text;
}
