// expect: error program.threw: the program threw: an empty error
throw { get message() { throw 1; }, get name() { throw 2; }, get stack() { throw 3; }, get hint() { throw 4; }, toString() { throw 5; } };
