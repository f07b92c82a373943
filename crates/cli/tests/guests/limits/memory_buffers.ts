// expect: error limit.memory at line 4, column 48: the program hit its limit `memory` of 64 MB: {used}
// hint: work in smaller pieces, or let the user raise `limits.memory`
const buffers: ArrayBuffer[] = [];
while (true) buffers.push(new ArrayBuffer(1 << 20));
