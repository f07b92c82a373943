// expect: error program.threw at line 5, column 37: the program threw: TypeError: cannot read property 'length' of undefined
// hint: the run suggests: what stands before `.length` is undefined: a field has another name or is missing, or an `await` is; `return` the value before it once to see it
const names: string[] = ['a', undefined as any];

const lengths = names.map((name) => name.length);
return lengths;
