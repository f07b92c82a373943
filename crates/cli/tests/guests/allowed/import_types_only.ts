// expect: output ["types are gone",0]
import type { Lead } from './types';
import { type Issue, type Label } from './servers/nowhere';
import { echo, type EchoInput } from './servers/hostile';

const input: EchoInput = { text: 'types are gone' };
const unused: (Lead | Issue | Label)[] = [];
return [await echo(input), unused.length];
