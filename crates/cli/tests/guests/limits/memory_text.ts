// expect: error limit.memory: the program hit its limit `memory` of 64 MB: {used}
// hint: work in smaller pieces, or let the user raise `limits.memory`
const texts: string[] = [];
let text = 'x';
while (true) { text += text; if (text.length > 1e6) { texts.push(text); text = `${texts.length}`; } }
