// expect: error program.threw at line 3, column 11: the program threw: TypeError: class constructors must be invoked with 'new'
export default class Report {
  rows = [];
}
