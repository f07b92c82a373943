# expect: error program.threw at line 3, column 1: the program threw: JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n  | line 3: json.loads(servers.hostile.echo(text="nope"))
import json
json.loads(servers.hostile.echo(text="nope"))
