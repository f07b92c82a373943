# expect: output [[true,true,true],[true,true],"def get_lead(*,",["crm","drive","hostile","tracker"],["__init__.py"],["servers/crm/__init__.py","servers/drive/__init__.py","servers/hostile/__init__.py","servers/tracker/__init__.py"],["servers/crm/__init__.py","servers/drive/__init__.py"],false]
import glob, os, pathlib

first = [os.path.exists("servers/crm"), pathlib.Path("servers/drive/__init__.py").is_file(),
         os.path.getsize("./servers/tracker/__init__.py") > 100]
text = open("servers/crm/__init__.py").read()
same = [read_file("servers/crm/__init__.py") == text, pathlib.Path("/servers/crm/__init__.py").read_text() == text]
stub = next(line for line in text.splitlines() if line.startswith("def get_lead"))
[first, same, stub, sorted(os.listdir("./servers")), os.listdir("servers/crm"), sorted(glob.glob("servers/*/*.py")),
 [str(path) for path in sorted(pathlib.Path("servers").rglob("*.py"))][:2], os.path.exists("servers/nope")]
