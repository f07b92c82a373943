// expect: output {"texts":["1","2","3","4","5"],"parallel":true}
// Five calls of 300 ms each: one after the other they would take 1,500 ms.
const started = performance.now();
const texts = await Promise.all([1, 2, 3, 4, 5].map((n) => servers.hostile.slow({ ms: 300, text: `${n}` })));
return { texts, parallel: performance.now() - started < 1200 };
