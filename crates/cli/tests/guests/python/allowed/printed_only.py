# expect: output "a-b!\n{'a': [1, 2]}\nwritten\nbytes\né✓\n[error] wrong\nINFO:root:logged"
import logging, pprint, sys

print("a", "b", sep="-", end="!\n")
pprint.pprint({"a": [1, 2]})
sys.stdout.write("written\n")
sys.stdout.buffer.write(b"bytes\n")
print("é✓", flush=True)
print("wrong", file=sys.stderr)
logging.basicConfig(level=logging.INFO, stream=sys.stdout)
logging.info("logged")
x = 1
