// expect: output {"answered":500,"codes":["answered","limit.tool_calls"]}
// calls: 10000
const settled = await Promise.allSettled(Array.from({ length: 10_000 }, (_, i) => servers.hostile.echo({ text: `${i}` })));
const answered = settled.filter((one) => one.status === 'fulfilled').length;
const codes = new Set(settled.map((one) => one.status === 'rejected' ? one.reason.code : 'answered'));
return { answered, codes: [...codes].sort() };
