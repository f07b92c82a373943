// expect: error limit.time: the program ran longer than its limit of 500 ms
// hint: do less per run, or let the user raise `limits.time`
// timeout: 500 ms
// within: 1000 ms
function* forever() { try { while (true) yield 1; } finally { while (true) yield 2; } }
for (const n of forever()) if (n === 3) break;
