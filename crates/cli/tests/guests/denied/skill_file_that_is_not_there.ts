// expect: error file.refused at line 4, column 4: `./skills/mcp-progressive-discovery/skill.py` does not exist
// hint: skills are `./skills/<name>/SKILL.md`, with `skill.ts` or `skill.py`
import fs from 'fs';
fs.readFileSync('./skills/mcp-progressive-discovery/skill.py');
