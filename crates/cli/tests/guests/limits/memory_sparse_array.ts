// expect: error limit.memory at line 3, column 24: the program hit its limit `memory` of 64 MB: {used}
// hint: work in smaller pieces, or let the user raise `limits.memory`
new Array(2 ** 32 - 1).fill(0);
