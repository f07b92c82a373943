# expect: output [false,true]
import os, re
listed = "README.md" in os.listdir("./servers")
contents = open("./servers/README.md").read()
[listed, bool(re.search("^crm: .*update_lead", contents, re.M))]
