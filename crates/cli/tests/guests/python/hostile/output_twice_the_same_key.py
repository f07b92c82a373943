# expect: output {"a":2}
import json
json.dumps = lambda *arguments, **named: '{"a": 1, "a": 2}'
1
