// expect: output ["POST","https://example.org/x","application/json","{\"a\":1}",["a=1&b=%C3%BC","application/x-www-form-urlencoded;charset=UTF-8"],[201,true,{"b":[2]},"1, 2"],["ok","GET",true]]
// calls: 0
const request = new Request('https://example.org/x', { method: 'post', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ a: 1 }) });
const form = new Request('https://example.org/', { method: 'PUT', body: new URLSearchParams({ a: '1', b: 'ü' }) });
const headers = new Headers([['X-A', '1'], ['x-a', '2']]);
const response = new Response(JSON.stringify({ b: [2] }), { status: 201, headers });
const controller = new AbortController();
controller.abort();
const aborted = await fetch('https://example.org', { signal: controller.signal }).then(() => 'no', (e) => e.name);
return [
  request.method, request.url, request.headers.get('content-type'), await request.text(),
  [await form.text(), form.headers.get('content-type')],
  [response.status, response.ok, await response.clone().json(), response.headers.get('X-A')],
  ['ok', new Request('https://example.org').method, aborted === 'AbortError'],
];
