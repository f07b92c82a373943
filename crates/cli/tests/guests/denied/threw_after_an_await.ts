// expect: error program.threw at line 6, column 8: the program threw: TypeError: cannot read property 'rows' of null
// hint: the run suggests: what stands before `.rows` is null: a field has another name or is missing, or an `await` is; `return` the value before it once to see it
await servers.hostile.echo({ text: 'first' });

const answer: any = null;
return answer.rows;
