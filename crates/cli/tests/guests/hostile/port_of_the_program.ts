// expect: output ["cannot import `/etc/passwd`","cannot import `node:fs/../../x`","cannot import `child_process`","cannot import `__proto__`","cannot import `constructor`","cannot import `toString`"]
// The generated function's argument is no secret, and gives nothing more.
let refused: string[] = [];
for (const name of ['/etc/passwd', 'node:fs/../../x', 'child_process', '__proto__', 'constructor', 'toString']) {
  try { __tidegate.import(name); refused.push(`${name} imported`); } catch (error) { refused.push(error.message); }
}
return refused;
