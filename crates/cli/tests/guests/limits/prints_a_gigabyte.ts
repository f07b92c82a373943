// expect: error limit.output: the program hit its limit `output` of 8 MB: it wrote {n} MB
// hint: print and return less, or let the user raise `limits.output`
// logs: any
const line = 'x'.repeat(1 << 20);
for (let i = 0; i < 1024; i++) console.log(line);
return 'printed';
