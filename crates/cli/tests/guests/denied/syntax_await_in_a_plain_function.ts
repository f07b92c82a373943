// expect: error program.syntax at line 4, column 10: `await` is only allowed within async functions and at the top levels of modules
// hint: Either remove this `await` or add the `async` keyword to the enclosing function
function load() {
  return await servers.hostile.echo({ text: 'a' });
}
load();
