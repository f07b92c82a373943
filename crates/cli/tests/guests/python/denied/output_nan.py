# expect: error program.bad_output: the output cannot be written as JSON: `output['a'][1]` is `nan`, which JSON cannot hold
# hint: the run suggests: replace it, e.g. by `None`, before it is returned
{"a": [1, float("nan")]}
