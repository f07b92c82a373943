// expect: error limit.output: the program printed or returned more than its limit of 8 MB
// hint: print and return less, or let the user raise `limits.output`
// logs: any
const line = 'x'.repeat(1 << 20);
for (let i = 0; i < 1024; i++) console.log(line);
return 'printed';
