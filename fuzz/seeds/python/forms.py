import servers.github
from servers.crm import get_lead as g
x, y = servers.crm, servers["drive"]
try:
    g(id=1)
except ToolError as e:
    print(f"{e!r:>{10}}")
