// expect: error call.bad_argument at line 3, column 7: `../count` cannot be the name of a skill
// hint: use `count`: names have up to 64 lower-case letters, digits and hyphens
await saveSkill('../count', 'return 1');
