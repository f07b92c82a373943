// expect: output [["crm","drive","hostile","tracker"],"all","one"]
import * as all from './servers';
import { hostile } from './servers/index.ts';

return [Object.keys(all), await all.hostile.echo({ text: 'all' }), await hostile.echo({ text: 'one' })];
