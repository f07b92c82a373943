# expect: output {"a":2}
import sys
sys.modules["_tidegate.worker"].encode = lambda *arguments, **named: '{"a": 1, "a": 2}'
1
