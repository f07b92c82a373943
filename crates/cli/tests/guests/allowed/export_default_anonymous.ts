// expect: output "arrow"
export default async () => servers.hostile.echo({ text: 'arrow' });
