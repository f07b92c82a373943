// expect: output "plain { a: [ 1, 'x' ], b: Map(1) { 'k' => null } }\nformat has 2\n[error] wrong\n[warn] careful\n| (index) | a |\n| --- | --- |\n| 0 | 1 |"
console.log('plain', { a: [1, 'x'], b: new Map([['k', null]]) });
console.info('%s has %d', 'format', 2);
console.error('wrong');
console.warn('careful');
console.table([{ a: 1 }]);
