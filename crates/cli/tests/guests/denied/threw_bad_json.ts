// expect: error program.threw at line 3, column 19: SyntaxError: unexpected token: 'not'
const text = await servers.hostile.echo({ text: 'not JSON' });
return JSON.parse(text);
