async function run() {
  return 1;
}
module.exports = { run };
