// expect: output ["L-0004","tool file","delete x"]
import { getLead } from './servers/crm/getLead';
import defaultEcho from './servers/hostile/echo.ts';
import { delete as remove } from './servers/hostile/delete.js';

return [(await getLead({ id: 'L-0004' })).id, await defaultEcho({ text: 'tool file' }), await remove({ target: 'x' })];
