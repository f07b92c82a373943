// expect: error program.threw: the program threw: an object of the program
throw { status: 404, message: 'an object of the program' };
