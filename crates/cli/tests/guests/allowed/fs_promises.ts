// expect: output {"found":["crm/types.ts","crm/updateLead.ts"],"stat":[true,false]}
import * as fs from 'fs/promises';
import { join } from 'path';

const found: string[] = [];
for (const server of await fs.readdir('./servers')) {
  for (const file of await fs.readdir(join('servers', server))) {
    const source = await fs.readFile(`./servers/${server}/${file}`, 'utf-8');
    if (source.includes('country')) found.push(`${server}/${file}`);
  }
}
const stat = await fs.stat('./servers/crm');
return { found, stat: [stat.isDirectory(), stat.isFile()] };
