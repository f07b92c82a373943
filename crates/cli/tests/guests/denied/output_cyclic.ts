// expect: error program.bad_output: the output cannot be written as JSON: TypeError: circular reference
// hint: the run suggests: return plain data: objects, lists, text, numbers, booleans, null
const node: any = { name: 'a' };
node.children = [{ parent: node }];
return node;
