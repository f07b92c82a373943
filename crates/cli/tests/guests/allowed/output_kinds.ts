// expect: output {"map":{"2":["b"],"a":1},"set":[1,2],"date":"2026-01-02T03:04:05.000Z","small":10,"wide":[18446744073709551615,-9223372036854775808],"large":"1180591620717411303424","error":{"name":"TypeError","message":"as data"},"url":"https://example.com/a?b=1","point":{"x":1,"hidden":2},"list":[null,null,null,0],"number":[0.30000000000000004,1e+21,5e-324,9007199254740992]}
class Point { constructor(public x: number, private hidden = 2) {} }
return {
  map: new Map<unknown, unknown>([['a', 1], [2, new Set(['b'])]]),
  set: new Set([1, 1, 2]),
  date: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)),
  small: 10n,
  wide: [2n ** 64n - 1n, -(2n ** 63n)],
  large: 2n ** 70n,
  error: new TypeError('as data'),
  url: new URL('https://example.com/a?b=1'),
  point: new Point(1),
  left_out: undefined,
  list: [undefined, NaN, Infinity, -0],
  number: [0.1 + 0.2, 1e21, 5e-324, 9007199254740993],
};
