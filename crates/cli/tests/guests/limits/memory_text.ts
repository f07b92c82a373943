// expect: error limit.memory: the program used more than its limit of 64 MB of memory
// hint: work in smaller pieces, or let the user raise `limits.memory`
const texts: string[] = [];
let text = 'x';
while (true) { text += text; if (text.length > 1e6) { texts.push(text); text = `${texts.length}`; } }
