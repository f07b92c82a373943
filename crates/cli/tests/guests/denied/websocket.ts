// expect: error program.threw at line 2, column 5: the program threw: `WebSocket` is not available in the sandbox: use `fetch`, or call a tool of a server
new WebSocket('wss://example.com');
