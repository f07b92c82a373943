// expect: error program.threw: the program threw: odd
// hint: the run suggests: a,list
const error: any = new Error('odd');
error.name = { toString: () => 'ToolError' };
error.code = 'limit.time';
error.hint = ['a', 'list'];
error.stack = 'at nowhere (program.ts:99999999999999999999:1)\nat nowhere (program.ts:0:0)';
throw error;
