// expect: error program.threw at line 3, column 10: the program threw: cannot import `node:child_process`
// hint: the run suggests: programs can import `./servers/<name>`, `fs/promises`, `path`, `util`, `url` and `assert`; packages are not available
import { exec } from 'node:child_process';

exec('id');
