# expect: error program.threw at line 3, column 1: the program threw: PermissionError: [Errno 13] Permission denied: 'servers/crm/__init__.py'\n  | line 3: open("servers/crm/__init__.py", "w")
# hint: the run suggests: `./servers` and `./skills` can only be read: write to `./workspace`
open("servers/crm/__init__.py", "w")
