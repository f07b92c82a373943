// expect: error program.syntax at line 6, column 3: decorators are not supported
// hint: call the decorator as a function instead
function logged(target: unknown) {}

class Service {
  @logged
  run() {}
}
return new Service();
