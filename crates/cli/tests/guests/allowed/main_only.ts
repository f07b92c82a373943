// expect: output {"text":"nobody called main"}
interface Row { text: string }

async function main(): Promise<Row> {
  return { text: await helper() };
}

function helper() {
  return servers.hostile.echo({ text: 'nobody called main' });
}
