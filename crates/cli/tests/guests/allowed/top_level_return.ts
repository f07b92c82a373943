// expect: output {"sum":6}
const numbers = [1, 2, 3];
if (numbers.length === 3) {
  return { sum: numbers.reduce((a, b) => a + b) };
}
return 'not reached';
