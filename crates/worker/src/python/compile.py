# Compiles our scripts once for many workers: compiling takes a third of a worker's startup
# time.
#
# In: `SCRIPTS`, pairs of a name and a text. Out, after its length: the version, a zero byte,
# and pairs of a name and its code.
import marshal
import sys

code = marshal.dumps([
    (name, compile(source, f"<tidegate {name}>", "exec", dont_inherit=True)) for name, source in SCRIPTS
])
data = sys.version.encode() + b"\0" + code
sys.stdout.buffer.write(len(data).to_bytes(4, "little") + data)
