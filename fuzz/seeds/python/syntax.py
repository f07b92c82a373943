match x:
    case {"a": [1, *rest], **more} if (n := len(rest)) > 2: pass
    case A(b=c) | None: del d, e[0]
class B[T](object, metaclass=M):
    @property
    def f(self) -> "int": global g; g = lambda a, /, b=2: (yield)
