// expect: error program.threw at line 5, column 37: the program threw: TypeError: cannot read property 'length' of undefined
// hint: the run suggests: the value before `.length` is undefined: a field is missing or has another name, or an `await` is missing; `return` that value once to see it
const names: string[] = ['a', undefined as any];

const lengths = names.map((name) => name.length);
return lengths;
