// expect: error limit.time: the program ran longer than its limit of 300 ms
// hint: do less per run, or let the user raise `limits.time`
// timeout: 300 ms
// within: 1000 ms
throw { get message() { while (true) {} } };
