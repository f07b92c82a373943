// expect: output [["call.bad_argument","`hostile__echo` needs `text` (string)",null],["call.bad_argument","`hostile__echo`: `text` must be a string, got number `5`","write \"5\""],["call.bad_argument","`hostile__echo` has no `extra`","known keys: `text`"],["call.bad_argument","`hostile__echo` needs `text` (string)","write `text` instead of `txt`"]]
const problems: unknown[] = [];
for (const input of [{}, { text: 5 }, { text: 'a', extra: 1 }, { txt: 'a' }]) {
  try {
    await callMCPTool('hostile__echo', input);
  } catch (error) {
    problems.push([error.code, error.message, error.hint]);
  }
}
return problems;
