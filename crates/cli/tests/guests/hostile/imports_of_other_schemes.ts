// expect: output ["cannot import `node:child_process`","cannot import `node:vm`","cannot import `node:worker_threads`","cannot import `file:///etc/passwd`","cannot import `data:text/javascript,export default 1`","cannot import `http://127.0.0.1/x.js`","cannot import `https://example.com/x.js`","cannot import `npm:lodash`","cannot import `bun:ffi`","cannot import `/etc/passwd`","cannot import `./x\u0000.ts`"]
const refused: string[] = [];
for (const name of ['node:child_process', 'node:vm', 'node:worker_threads', 'file:///etc/passwd', 'data:text/javascript,export default 1', 'http://127.0.0.1/x.js', 'https://example.com/x.js', 'npm:lodash', 'bun:ffi', '/etc/passwd', './x\0.ts']) {
  try { await import(name); refused.push(`${name} was imported`); } catch (error) { refused.push(error.message); }
  try { require(name); refused.push(`${name} was required`); } catch {}
}
return refused;
