// expect: error program.threw at line 3, column 10: the program threw: cannot import `./servers/crm/deep/er`
// hint: the run suggests: import `./servers/<name>`
import { x } from './servers/crm/deep/er';

return x;
