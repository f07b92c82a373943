// expect: error program.threw at line 4, column 28: the program threw: TypeError: circular reference
const input: any = { text: 'a' };
input.self = input;
await servers.hostile.echo(input);
