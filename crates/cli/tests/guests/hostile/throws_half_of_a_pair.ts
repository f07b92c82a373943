// expect: error program.threw at line 2, column 11: half of a pair: �
throw new Error('half of a pair: \ud800');
