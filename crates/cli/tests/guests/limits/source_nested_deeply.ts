// expect: error limit.stack: the program recursed too deeply
// hint: use a loop, or end the recursion earlier
return eval('['.repeat(100_000) + ']'.repeat(100_000));
