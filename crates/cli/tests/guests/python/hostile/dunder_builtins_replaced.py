# expect: error worker.died: the worker died
# hint: the program may have used too much memory, or crashed the engine; change it and try again
import builtins
for name in ("isinstance", "len", "getattr", "str", "type", "hasattr", "callable", "bytes", "list", "dict"):
    setattr(builtins, name, None)
1
