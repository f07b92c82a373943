// expect: error program.threw at line 3, column 13: the program threw: late
setTimeout(() => {
  throw new Error('late');
}, 1);
await new Promise((done) => setTimeout(done, 50));
