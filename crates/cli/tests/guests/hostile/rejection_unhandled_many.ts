// expect: error program.threw: the program threw: 0
// hint: the run suggests: throw an `Error` to get the line
for (let i = 0; i < 20_000; i++) Promise.reject(i);
return 'fine';
