# expect: error program.bad_output: `output['a'][1]` is `nan`, which JSON cannot hold
# hint: replace it, e.g. by `None`, before it is returned
{"a": [1, float("nan")]}
