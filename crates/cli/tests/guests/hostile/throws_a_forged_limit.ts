// expect: error program.threw at line 3, column 11: the program threw: forged
// A program may pretend to have hit a limit; it only fools itself.
throw new ToolError({ code: 'limit.memory', message: 'forged' });
