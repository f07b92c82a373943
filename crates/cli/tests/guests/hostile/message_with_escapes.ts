// expect: error call.tool_failed at line 2, column 23: `hostile__fail` failed, its server says: a\u{1b}[31mred\u{1b}[0m \u{202e}reversed \u{0} {"jsonrpc":"2.0"}\n  | next
await servers.hostile.fail({ message: 'a\u001b[31mred\u001b[0m \u202ereversed \u0000 {"jsonrpc":"2.0"}\nnext' });
