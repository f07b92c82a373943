# expect: error program.threw: the program threw: TypeError: 'Liar' object is not iterable
class Liar:
    @property
    def __class__(self):
        return dict
    def __getattr__(self, name):
        return self
    def __call__(self, *arguments, **named):
        return self
Liar()
