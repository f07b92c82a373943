// expect: error program.syntax at line 2, column 7: the program does not parse: invalid redefinition of parameter name
const __tidegate = 1;
return __tidegate;
