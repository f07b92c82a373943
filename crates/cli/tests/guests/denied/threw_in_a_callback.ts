// expect: error program.threw at line 4, column 37: TypeError: cannot read property 'length' of undefined
const names: string[] = ['a', undefined as any];

const lengths = names.map((name) => name.length);
return lengths;
