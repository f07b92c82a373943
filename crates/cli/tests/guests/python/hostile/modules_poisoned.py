# expect: output {"still":"told"}
import sys, types, json, builtins
fake = types.ModuleType("json")
fake.dumps = fake.loads = lambda *arguments, **named: '"forged"'
sys.modules["json"] = sys.modules["left"] = fake
builtins.left_behind = True
for name in [name for name in sys.modules if name.startswith("_tidegate")]:
    sys.modules[name] = fake
json.dumps = fake.dumps
{"still": "told"}
