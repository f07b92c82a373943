# expect: error program.bad_output: the output cannot be written as JSON: the output is an Evil, which JSON cannot hold
# hint: the run suggests: return plain data: dicts, lists, text, numbers, booleans, None
import os
class Evil:
    def __reduce__(self):
        return (os.system, ("touch pwned",))
Evil()
