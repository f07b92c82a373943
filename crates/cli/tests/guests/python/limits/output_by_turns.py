# expect: error limit.output: the program hit its limit `output` of 8 MB: it wrote {n} MB
# hint: print and return less, or let the user raise `limits.output`
# logs: any
import sys
while True:
    sys.stdout.write("x")
    sys.stderr.write("y" * 100)
