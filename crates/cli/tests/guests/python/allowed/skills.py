# expect: output ["./skills/guest-count/skill.py",true,"len(x.split())  # é 😀",["SKILL.md","skill.py"],"len(x.split())  # é 😀",["mcp-progressive-discovery"],"name: mcp-progressive-discovery","did not exist"]
import os
saved = save_skill("guest-count", "len(x.split())  # é 😀", "Counts words")
again = save_skill("guest-count", "len(x.split())  # é 😀")
with open("./skills/guest-count/skill.py") as file:
    read = file.read()
shipped = [name for name in os.listdir("./skills") if name.startswith("mcp-")]
try:
    load_skill("x" * 1_000_000)
except ToolError as error:
    unknown = "did not exist" if error.code == "file.refused" else str(error)
[saved.path, again.replaced, load_skill("guest-count"), sorted(os.listdir("./skills/guest-count")), read,
 shipped, load_skill("mcp-progressive-discovery").split("\n")[1], unknown]
