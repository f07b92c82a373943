// expect: error program.threw at line 5, column 8: TypeError: cannot read property 'rows' of null
await servers.hostile.echo({ text: 'first' });

const answer: any = null;
return answer.rows;
