// expect: error program.threw at line 3, column 8: the program threw: cannot import `lodash`
// hint: the run suggests: programs can import `./servers/<name>`, `fs/promises`, `path`, `util`, `url` and `assert`; packages are not available
import _ from 'lodash';

return _.chunk([1, 2, 3], 2);
