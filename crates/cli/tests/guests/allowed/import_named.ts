// expect: output ["L-0002","named","3"]
import { getLead } from './servers/crm';
import { echo, add } from "./servers/hostile";

return [(await getLead({ id: 'L-0002' })).id, await echo({ text: 'named' }), await add({ a: 1, b: 2 })];
