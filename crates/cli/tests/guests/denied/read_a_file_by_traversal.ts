// expect: error file.refused at line 5, column 11: `./servers/../../../etc/passwd` does not exist
// hint: programs see `./servers/<server>/<function>.ts`
import * as fs from 'fs';

return fs.readFileSync('./servers/../../../etc/passwd', 'utf8');
