# expect: error file.refused at line 3, column 1: there is no skill `mcp-progressive-discover`
# hint: did you mean `mcp-progressive-discovery`?
load_skill("mcp-progressive-discover")
