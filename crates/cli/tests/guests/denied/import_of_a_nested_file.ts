// expect: error file.refused at line 3, column 10: cannot import `./servers/crm/deep/er`
// hint: import `./servers/<name>`
import { x } from './servers/crm/deep/er';

return x;
