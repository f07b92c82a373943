// expect: error limit.memory: the program hit its limit `memory` of 64 MB: {used}
// hint: work in smaller pieces, or let the user raise `limits.memory`
const rows: unknown[] = [];
while (true) rows.push({ id: rows.length, tags: [`${rows.length}`] });
