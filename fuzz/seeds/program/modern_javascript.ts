// expect: output {"seen":[1,2,11,21],"x":5,"grouped":{"odd":[1,3],"even":[2]},"sorted":[1,2,3],"last":3,"named":"01","spread":{"a":1,"b":["x","y"]},"tagged":"a|b|c1,2","destructured":[3,{"c":4}],"cause":"inner"}
async function* count() { yield 1; yield 2; }
const seen: number[] = [];
for await (const n of count()) seen.push(n);
outer: for (const a of [1, 2]) for (const b of [1, 2]) { if (b === 2) continue outer; seen.push(a * 10 + b); }
let x: number | null = null;
x ??= 5;

return {
  seen,
  x,
  grouped: Object.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even')),
  sorted: [3, 1, 2].toSorted(),
  last: [1, 2, 3].at(-1),
  named: /(?<year>\d{4})-(?<month>\d\d)/.exec('2026-01')?.groups?.month,
  spread: { ...{ a: 1 }, b: [...'xy'] },
  tagged: ((s: TemplateStringsArray, ...v: unknown[]) => s.raw.join('|') + v.join())`a${1}b${2}c`,
  destructured: (({ a: { b = 3 } = {}, ...rest }) => [b, rest])({ c: 4 } as any),
  cause: (new Error('outer', { cause: new Error('inner') }).cause as Error).message,
};
