// expect: error upstream.protocol at line 4, column 23: server `hostile` broke the protocol: its answer is malformed or nested more than 128 levels deep
// timeout: 1000 ms
// within: 1500 ms
await servers.hostile.deep({ depth: 100_000 });
