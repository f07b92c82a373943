// expect: error program.threw at line 2, column 1: the program threw: TypeError: 'hostile' is read-only
servers.hostile = 5;
return 'not reached in strict mode';
