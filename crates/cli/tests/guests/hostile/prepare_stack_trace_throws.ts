// expect: error program.threw: the program threw: TypeError: cannot read property 'x' of null
// hint: the run suggests: what stands before `.x` is null: a field has another name or is missing, or an `await` is; `return` the value before it once to see it
Error.prepareStackTrace = () => { throw new Error('again'); };
(null as any).x;
