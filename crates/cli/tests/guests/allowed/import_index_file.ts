// expect: output ["0","1","2","3","4"]
import * as withIndex from './servers/hostile/index.ts';
import * as bare from './servers/hostile/';
import * as parent from '../servers/hostile/index.js';
import * as rooted from '/servers/hostile';
import * as plain from 'servers/hostile';

return Promise.all([withIndex, bare, parent, rooted, plain].map((server, i) => server.echo({ text: `${i}` })));
