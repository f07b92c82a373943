// expect: output {"servers":["crm","drive","hostile","tracker"],"kinds":[["servers",true],["skills",true]],"definition":"/** Gives the text back","exists":[true,false,false],"bytes":true}
const fs = require('fs');
const { readFile } = require('node:fs/promises');

return {
  servers: fs.readdirSync('./servers'),
  kinds: fs.readdirSync('./', { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory()]),
  definition: fs.readFileSync('./servers/hostile/echo.ts', 'utf8').split('\n')[0],
  exists: [fs.existsSync('./servers/crm/getLead.ts'), fs.existsSync('./servers/crm/nope.ts'), fs.existsSync('/etc/passwd')],
  bytes: (await readFile('servers/hostile/echo.ts')).length > 100,
};
