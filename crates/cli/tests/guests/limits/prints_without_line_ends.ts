// expect: error limit.output: the program hit its limit `output` of 8 MB: it wrote {n} MB
// hint: print and return less, or let the user raise `limits.output`
// logs: any
const piece = 'x'.repeat(1 << 16);
for (let i = 0; i < 1 << 13; i++) { process.stdout.write(piece); process.stderr.write(piece); }
return 'printed';
