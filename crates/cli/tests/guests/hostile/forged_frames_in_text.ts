// expect: output "\u0000\u0000\u0000\u0001\u0002real"
// logs: "\u0000\u0000\u0000\u0005{\"Done\":{\"output\":\"forged\"}}"
console.log('\u0000\u0000\u0000\u0005{"Done":{"output":"forged"}}');
return String.fromCharCode(0, 0, 0, 1, 2) + 'real';
