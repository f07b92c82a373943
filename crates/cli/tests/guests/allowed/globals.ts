// expect: output {"encoding":[[195,169,240,159,140,141],"é🌍","tide","6869"],"url":["https://user@example.com:8080/c?x=1&y=+&z=%C3%A4#h","example.com:8080",["1","2"]],"clone":[true,true,{"deep":true},0],"crypto":[true,4],"abort":[true,"why",["aborted"]],"intl":["1,234,567.891","1,000,000",["a","b"]],"time":["number",true,true],"process":[{},"function","/"],"absent":["undefined","undefined","undefined","undefined"]}
const bytes = new TextEncoder().encode('é🌍');
const url = new URL('../c?x=1&y=%20#h', 'https://user@example.com:8080/a/b');
url.searchParams.append('z', 'ä');
const controller = new AbortController();
controller.signal.addEventListener('abort', () => order.push('aborted'));
const order: string[] = [];
controller.abort('why');
const original = { when: new Date(0), map: new Map([[1, { deep: true }]]), self: null as unknown };
original.self = original;
const copy = structuredClone(original);
const started = performance.now();

return {
  encoding: [[...bytes], new TextDecoder().decode(bytes), atob(btoa('tide')), Buffer.from('hi').toString('hex')],
  url: [url.href, url.host, [...new URLSearchParams('a=1&a=2').getAll('a')]],
  clone: [copy !== original, copy.self === copy, copy.map.get(1), copy.when.getTime()],
  crypto: [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()), crypto.getRandomValues(new Uint8Array(4)).length],
  abort: [controller.signal.aborted, controller.signal.reason, order],
  intl: [new Intl.NumberFormat('en-US').format(1234567.891), (1e6).toLocaleString(), ['b', 'a'].sort(Intl.Collator().compare)],
  time: [typeof started, performance.now() >= started, Date.now() > 1.7e12],
  process: [process.env, typeof process.exit, process.cwd()],
  absent: [typeof window, typeof document, typeof Deno, typeof Bun],
};
