// expect: output {"text":"exported"}
import { echo } from './servers/hostile';

export const unused = 1;
export default { text: await echo({ text: 'exported' }) };
