// expect: error program.threw at line 2, column 5: the program threw: RangeError: invalid array buffer length
new Uint8Array(2 ** 31);
