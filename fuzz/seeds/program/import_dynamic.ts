// expect: output ["a","b","c","e.txt"]
const hostile = await import('./servers/hostile');
const { default: same } = await import('./servers/hostile');
const { echo } = await import(`./servers/${'hostile'}/index.ts`);
const { basename } = await import('node:path');

return [await hostile.echo({ text: 'a' }), await same.echo({ text: 'b' }), await echo({ text: 'c' }), basename('/d/e.txt')];
