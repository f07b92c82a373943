// expect: error limit.memory: the program used more than its limit of 64 MB of memory
// hint: work in smaller pieces, or let the user raise `limits.memory`
const all: unknown[] = [];
while (true) all.push(new Promise(() => {}));
