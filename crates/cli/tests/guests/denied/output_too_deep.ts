// expect: error program.bad_output: the output is not JSON, or nested more than 128 levels deep
// hint: return a flatter structure
let list: unknown[] = [];
for (let i = 0; i < 130; i++) list = [list];
return list;
