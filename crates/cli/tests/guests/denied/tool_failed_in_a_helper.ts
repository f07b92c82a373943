// expect: error call.tool_failed at line 6, column 21: `hostile__fail` failed, its server says: no coffee
import { fail } from './servers/hostile';

async function order(item: string) {
  const note = { message: `no ${item}` };
  return await fail(note);
}

await order('coffee');
