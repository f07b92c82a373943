// expect: error limit.output: the program hit its limit `output` of 8 MB: it wrote {n} MB
// hint: print and return less, or let the user raise `limits.output`
// logs: any
while (true) { console.log('x'.repeat(1000)); console.error('y'.repeat(1000)); }
