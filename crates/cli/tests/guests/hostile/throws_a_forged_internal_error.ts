// expect: error limit.memory: the program used more than its limit of 256 MB of memory
// hint: work in smaller pieces, or let the user raise `limits.memory`
const error = new Error('out of memory');
error.name = 'InternalError';
throw error;
