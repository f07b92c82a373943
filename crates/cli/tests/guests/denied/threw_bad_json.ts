// expect: error program.threw at line 4, column 19: the program threw: SyntaxError: unexpected token: 'not'
// hint: the run suggests: the text is not JSON: `return` it once to see it
const text = await servers.hostile.echo({ text: 'not JSON' });
return JSON.parse(text);
