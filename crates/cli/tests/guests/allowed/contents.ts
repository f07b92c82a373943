// expect: output {"lines":true,"listed":false}
import * as fs from 'fs';

const contents = fs.readFileSync('./servers/README.md', 'utf-8');
return { lines: /^crm: .*updateLead/m.test(contents), listed: fs.readdirSync('./servers').includes('README.md') };
