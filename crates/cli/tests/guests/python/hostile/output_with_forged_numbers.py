# expect: error program.bad_output: the output is not JSON, or nested more than 128 levels deep
# hint: return a flatter structure
import sys
sys.modules["_tidegate.worker"].encode = lambda *arguments, **named: "[1e999, 007]"
{"a": 1}
