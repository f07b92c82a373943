// expect: error program.syntax at line 6, column 3: the program does not parse: decorators are not supported
// hint: the run suggests: call the decorator as a function instead
function logged(target: unknown) {}

class Service {
  @logged
  run() {}
}
return new Service();
