// expect: error program.threw at line 3, column 13: late
setTimeout(() => {
  throw new Error('late');
}, 1);
await new Promise((done) => setTimeout(done, 50));
