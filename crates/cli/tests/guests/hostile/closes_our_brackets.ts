// expect: error program.syntax at line 3, column 1: Unexpected token
// hint: the line reads `}); globalThis.escaped = true; (async () => {`
}); globalThis.escaped = true; (async () => {
