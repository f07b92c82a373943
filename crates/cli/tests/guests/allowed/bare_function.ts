// expect: output "named function at the end"
import { echo } from './servers/hostile';

async function run() {
  return echo({ text: 'named function at the end' });
}
run
