// expect: error limit.stack: the program recursed too deeply
// hint: use a loop, or end the recursion earlier
const deep = { toJSON() { return { deep: this.again() }; }, again() { return JSON.stringify(deep); } };
return deep;
