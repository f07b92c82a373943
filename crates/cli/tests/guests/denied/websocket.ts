// expect: error program.threw at line 2, column 5: `WebSocket` is not available in the sandbox: programs have no network. Call a tool of a server instead, e.g. search_tools for 'fetch url'
new WebSocket('wss://example.com');
