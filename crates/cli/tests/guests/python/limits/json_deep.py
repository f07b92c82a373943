# expect: error limit.stack: the program recursed too deeply
# hint: use a loop, or end the recursion earlier
import json
json.loads("[" * 100000 + "]" * 100000)
