// expect: error file.refused at line 5, column 7: `fs.writeFile` is not available: programs can only read `./servers` and `./skills`
// hint: return the data instead, it is kept under a handle
import { writeFile } from 'fs/promises';

await writeFile('./notes.txt', 'x');
