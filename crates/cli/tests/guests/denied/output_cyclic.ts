// expect: error program.bad_output: TypeError: circular reference
// hint: return plain data: objects, lists, text, numbers, booleans, null
const node: any = { name: 'a' };
node.children = [{ parent: node }];
return node;
