// expect: output {"settled":["a","`hostile__fail` failed, its server says: b"],"race":"fast","any":"d"}
const { echo, fail, slow } = servers.hostile;
const settled = await Promise.allSettled([echo({ text: 'a' }), fail({ message: 'b' })]);
return {
  settled: settled.map((one) => one.status === 'fulfilled' ? one.value : one.reason.message),
  race: await Promise.race([slow({ ms: 200, text: 'slow' }), echo({ text: 'fast' })]),
  any: await Promise.any([fail({ message: 'c' }), echo({ text: 'd' })]),
};
