// expect: output "main"
import { echo } from './servers/hostile';

export default async function main() {
  return await echo({ text: main.name });
}
