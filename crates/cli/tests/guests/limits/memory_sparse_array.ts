// expect: error limit.memory at line 3, column 24: the program used more than its limit of 64 MB of memory
// hint: work in smaller pieces, or let the user raise `limits.memory`
new Array(2 ** 32 - 1).fill(0);
