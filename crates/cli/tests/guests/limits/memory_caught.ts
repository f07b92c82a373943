// expect: error limit.time: the program ran longer than its limit of 1 s
// hint: do less per run, or let the user raise `limits.time`
// timeout: 1000 ms
// within: 1500 ms
const rows: unknown[] = [];
while (true) { try { while (true) rows.push({}); } catch {} }
