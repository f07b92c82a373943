// expect: error program.syntax at line 2, column 7: invalid redefinition of parameter name
const __tidegate = 1;
return __tidegate;
