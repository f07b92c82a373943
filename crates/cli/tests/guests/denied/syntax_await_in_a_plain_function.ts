// expect: error program.syntax at line 4, column 10: the program does not parse: `await` is only allowed within async functions and at the top levels of modules
// hint: the run suggests: Either remove this `await` or add the `async` keyword to the enclosing function
function load() {
  return await servers.hostile.echo({ text: 'a' });
}
load();
