// expect: error program.threw at line 3, column 10: the program threw: cannot import `./helper`
// hint: the run suggests: programs can import `./servers/<name>`, `fs/promises`, `path`, `util`, `url` and `assert`; packages are not available
import { helper } from './helper';

return helper();
