// expect: error program.threw: the program threw: an empty error
throw Object.create(null);
