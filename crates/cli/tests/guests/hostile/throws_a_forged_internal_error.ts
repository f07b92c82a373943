// expect: error limit.memory: the program hit its limit `memory` of 256 MB: {used}
// hint: work in smaller pieces, or let the user raise `limits.memory`
const error = new Error('out of memory');
error.name = 'InternalError';
throw error;
