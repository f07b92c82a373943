// expect: error program.threw at line 6, column 8: the program threw: TypeError: cannot read property 'rows' of null
// hint: the run suggests: the value before `.rows` is null: a field is missing or has another name, or an `await` is missing; `return` that value once to see it
await servers.hostile.echo({ text: 'first' });

const answer: any = null;
return answer.rows;
