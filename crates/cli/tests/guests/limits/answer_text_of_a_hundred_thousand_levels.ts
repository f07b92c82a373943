// expect: output ["string",200000]
// JSON inside of text that is too deep stays text.
const depth = 100_000;
const answer = await servers.hostile.echo({ text: '['.repeat(depth) + ']'.repeat(depth) });
return [typeof answer, answer.length];
