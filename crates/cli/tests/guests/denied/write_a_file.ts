// expect: error program.threw at line 5, column 7: the program threw: `fs.writeFile` is not available: programs can only read `./servers` and `./skills`
// hint: the run suggests: return the data instead, it is kept under a handle
import { writeFile } from 'fs/promises';

await writeFile('./notes.txt', 'x');
