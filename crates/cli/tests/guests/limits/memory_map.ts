// expect: error limit.memory: the program used more than its limit of 64 MB of memory
// hint: work in smaller pieces, or let the user raise `limits.memory`
const map = new Map();
while (true) map.set(map.size, {});
