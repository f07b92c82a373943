// expect: error call.tool_failed at line 2, column 23: server `hostile` refused the call, it says: refused on request
await servers.hostile.rpcError();
