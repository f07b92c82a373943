// expect: output [1,3]
// sent as: CRLF
const a: number = 1;
const b = `x
y`;
return [a, b.length];
