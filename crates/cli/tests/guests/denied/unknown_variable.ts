// expect: error program.threw at line 2, column 8: ReferenceError: leeds is not defined
return leeds.length;
