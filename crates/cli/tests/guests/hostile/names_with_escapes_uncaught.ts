// expect: error call.unknown_server at line 3, column 7: there is no server `a\u{1b}[31m\u{202e}\u{0}`
// hint: the servers are `crm`, `drive`, `hostile`, `tracker`
await callMCPTool('a\u001b[31m\u202e\u0000__x', {});
