// expect: output {"path":"./skills/guest-add/skill.ts","again":true,"code":"return 1 + 1 // é 😀","files":["SKILL.md","skill.ts"],"same":true,"head":["---","name: \"guest-add\"","description: \"Adds\"","triggers: []","---"],"shipped":"name: mcp-progressive-discovery"}
import { readFile, readdir } from 'fs/promises';
const { path } = await saveSkill('guest-add', 'return 1 + 1 // é 😀', 'Adds');
const { replaced: again } = await saveSkill('guest-add', 'return 1 + 1 // é 😀', 'Adds');
const text = await readFile('./skills/guest-add/SKILL.md', 'utf8');
const shipped = await loadSkill('mcp-progressive-discovery');
return {
  path, again, code: await loadSkill('guest-add'),
  files: await readdir('./skills/guest-add'),
  same: (await readFile('skills/guest-add/skill.ts', 'utf8')) === await loadSkill('guest-add'),
  head: text.split('\n').slice(0, 5),
  shipped: shipped.split('\n')[1],
};
