# expect: error program.threw at line 2, column 1: the program threw: \u{1b}[31mred\u{202e}: a\u{0}b\u{1b}[0m\n  | line 2: raise type("\x1b[31mred\u202e", (Exception,), {})("a\x00b\x1b[0m")
raise type("\x1b[31mred\u202e", (Exception,), {})("a\x00b\x1b[0m")
