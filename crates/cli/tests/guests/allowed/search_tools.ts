// expect: output {"best":"servers.drive.readFile","keys":["call","server","function","score","read_only","destructive","connected","text"],"full":"/** Adds two numbers"}
const found = await searchTools('read the contents of a file');
const full = await searchTools('add two numbers', 'full');
return { best: found[0].call, keys: Object.keys(found[0]), full: full[0].text.split('\n')[0] };
