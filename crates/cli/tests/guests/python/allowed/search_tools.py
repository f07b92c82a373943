# expect: output ["servers.drive.read_file",["call","connected","destructive","function","read_only","score","server","text"],"def set_value(*,\ntarget: str = OMIT,\n) -> Any:\n \"\"\"Says that it can be repeated\"\"\"\n return _call()","servers.hostile.add"]
found = search_tools("read the contents of a file")
full = search_tools("set a value again", "full", limit=1)
names = await search_tools("add two numbers", detail="name")
[found[0]["call"], sorted(found[0]), full[0].text, names[0].call]
