# expect: error program.bad_output: `output['rows'][1]['a']` is a Thing, which JSON cannot hold
# hint: return plain data: dicts, lists, text, numbers, booleans, None
class Thing:
    pass
{"rows": [1, {"a": Thing()}]}
