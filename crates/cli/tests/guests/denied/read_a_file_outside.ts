// expect: error file.refused at line 5, column 14: `/etc/passwd` does not exist
// hint: programs see `./servers/<server>/<function>.ts`
import { readFile } from 'node:fs/promises';

return await readFile('/etc/passwd', 'utf8');
