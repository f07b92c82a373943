// expect: output {"order":["now","microtask","tick","promise","0 ms, first","0 ms, second","immediate","20 ms"],"ticks":3}
const order: string[] = [];
const log = (name: string) => () => { order.push(name); };
setTimeout(log('20 ms'), 20);
setTimeout(log('0 ms, first'), 0);
setTimeout(log('0 ms, second'), 0);
const stopped = setTimeout(log('never'), 5);
clearTimeout(stopped);
setImmediate(log('immediate'));
queueMicrotask(log('microtask'));
process.nextTick(log('tick'));
Promise.resolve().then(log('promise'));
log('now')();
let ticks = 0;
await new Promise<void>((done) => {
  const interval = setInterval(() => { if (++ticks === 3) { clearInterval(interval); done(); } }, 1);
});
await new Promise((done) => setTimeout(done, 40, 'ignored'));
return { order, ticks };
