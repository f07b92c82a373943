# expect: error program.threw at line 4, column 1: the program threw: URLError: <urlopen error [Errno 1] Operation not permitted>\n  | line 4: urllib.request.urlopen("http://127.0.0.1:1/")
# hint: the run suggests: programs make no connections of their own: use `fetch(url)`, or call a tool of a server
import urllib.request
urllib.request.urlopen("http://127.0.0.1:1/")
