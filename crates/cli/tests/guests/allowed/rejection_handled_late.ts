// expect: output "`hostile__fail` failed, its server says: early"
const early = servers.hostile.fail({ message: 'early' });
await servers.hostile.echo({ text: 'meanwhile' });
try {
  await early;
} catch (error) {
  return error.message;
}
