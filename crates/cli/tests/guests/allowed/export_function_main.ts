// expect: output "exported main"
export async function main(): Promise<string> {
  return servers.hostile.echo({ text: 'exported main' });
}
