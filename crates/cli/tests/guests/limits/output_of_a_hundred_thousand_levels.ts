// expect: error limit.stack: the program recursed too deeply
// hint: use a loop, or end the recursion earlier
let list: unknown[] = [];
for (let i = 0; i < 100_000; i++) list = [list];
return list;
