# expect: error program.bad_output: the output is not JSON, or nested more than 128 levels deep
# hint: return a flatter structure
import sys
sys.modules["_tidegate.worker"].encode = lambda *arguments, **named: "[" * 200000 + "]" * 200000
1
