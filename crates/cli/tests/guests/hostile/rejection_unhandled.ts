// expect: error program.threw at line 3, column 20: the program threw: nobody listens
// hint: the run suggests: await the promise, or catch its error
Promise.reject(new Error('nobody listens'));
return 'fine';
