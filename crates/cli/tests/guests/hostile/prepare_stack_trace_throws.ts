// expect: error program.threw: TypeError: cannot read property 'x' of null
Error.prepareStackTrace = () => { throw new Error('again'); };
(null as any).x;
