// expect: error limit.stack at line 4, column 20: the program recursed too deeply
// hint: use a loop, or end the recursion earlier
function depth(n: number): number {
  return depth(n + 1) + 1;
}
return depth(0);
