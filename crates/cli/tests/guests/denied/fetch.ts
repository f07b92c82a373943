// expect: error program.threw at line 2, column 24: `fetch` is not available in the sandbox: programs have no network. Call a tool of a server instead, e.g. search_tools for 'fetch url'
const response = await fetch('https://example.com');
return response.status;
