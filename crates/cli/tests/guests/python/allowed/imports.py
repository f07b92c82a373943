# expect: output ["L-0042","star",["create_note","get_lead","list_leads","search_leads","update_lead"],["crm","drive","hostile","tracker"],"ToolError","get_lead"]
import servers
import servers.crm
import servers.crm as short
from servers import crm as other, ToolError, search_tools
from servers.crm import get_lead, listLeads
from servers.hostile import *

assert callable(listLeads) and other is short is servers.crm
[get_lead(id="L-0042").id, echo(text="star"), dir(short), list(servers), ToolError.__name__, get_lead.__name__]
