# expect: error program.threw at line 3, column 1: the program threw: ModuleNotFoundError: No module named 'requests'\n  | line 3: import requests
# hint: the run suggests: use `fetch(url)`, which needs no import; only the standard library and `servers` can be imported; for `requests` name a virtual environment that has it in `python.packages`
import requests
