# expect: error program.bad_output: the output cannot be written as JSON: `output['rows'][1]['a']` is a Thing, which JSON cannot hold
# hint: the run suggests: return plain data: dicts, lists, text, numbers, booleans, None
class Thing:
    pass
{"rows": [1, {"a": Thing()}]}
