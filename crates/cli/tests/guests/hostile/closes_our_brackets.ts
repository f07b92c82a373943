// expect: error program.syntax at line 3, column 1: the program does not parse: Unexpected token
// hint: the run suggests: the line reads `}); globalThis.escaped = true; (async () => {`
}); globalThis.escaped = true; (async () => {
