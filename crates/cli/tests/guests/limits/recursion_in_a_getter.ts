// expect: error limit.stack: the program recursed too deeply
// hint: use a loop, or end the recursion earlier
const trap = { get x(): unknown { return this.x; } };
return trap.x;
