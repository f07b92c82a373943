// expect: error program.threw: the program threw: TypeError: cannot read property 'x' of null
// hint: the run suggests: the value before `.x` is null: a field is missing or has another name, or an `await` is missing; `return` that value once to see it
Error.prepareStackTrace = () => { throw new Error('again'); };
(null as any).x;
