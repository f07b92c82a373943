// expect: error call.bad_argument at line 3, column 7: `saveSkill` takes a name, the code as text of at most 65536 bytes, and a description
// hint: write `await saveSkill("name", code, "what it does")`
await saveSkill('count', () => 1);
