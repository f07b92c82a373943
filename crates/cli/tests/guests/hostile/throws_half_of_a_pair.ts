// expect: error program.threw at line 2, column 11: the program threw: half of a pair: �
throw new Error('half of a pair: \ud800');
