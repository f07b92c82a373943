// expect: output "renamed"
async function run() {
  return 'renamed';
}
export { run as default };
