# expect: error limit.disk: the program hit its limit `disk` of 4 MB
# hint: write less, or let the user raise `limits.disk`
import itertools
for number in itertools.count():
    open(f"workspace/{number}", "w").close()
