// expect: output "after"
const OldPromise = Promise;
Promise.prototype.then = function () { return OldPromise.resolve('polluted'); };
Promise.resolve = () => { throw new Error('resolve'); };
const text = await servers.hostile.echo({ text: 'after' });
return text;
