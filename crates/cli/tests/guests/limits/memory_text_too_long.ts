// expect: error program.threw at line 3, column 22: the program threw: InternalError: string too long
let text = 'x';
while (true) text += text;
