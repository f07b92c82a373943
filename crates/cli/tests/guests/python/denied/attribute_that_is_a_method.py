# expect: error program.bad_output: the output cannot be written as JSON: the output is a builtin_function_or_method, which JSON cannot hold
# hint: the run suggests: `.items` is a method of a dict: write `['items']` for the key, or call it
answer = servers.hostile.echo(text='{"items": [1]}')
answer.items
