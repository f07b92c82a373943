// expect: error program.threw at line 3, column 20: nobody listens
// hint: await the promise, or catch its error
Promise.reject(new Error('nobody listens'));
return 'fine';
