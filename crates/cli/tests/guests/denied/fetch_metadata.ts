// expect: output [["fetch.denied","programs have no network",true],["fetch.denied","programs have no network",true],["fetch.denied","the URL is neither `http` nor `https`",true],["fetch.denied","the URL cannot be parsed",true]]
// calls: 4
const urls = ['http://169.254.169.254/latest/meta-data/', 'http://[::ffff:127.0.0.1]/', 'file:///etc/passwd', '/relative'];
return Promise.all(urls.map((url) => fetch(url).then((r) => r.status, (e) => [e.code, e.message, e instanceof TypeError])));
