// expect: error program.stuck: the program awaits a promise that nothing will ever settle
// hint: resolve the promise, or await a tool call or a timer
// within: 400 ms
await new Promise(() => {});
