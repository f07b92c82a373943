# expect: output [[true,false,null,true,false,null,true],["crm","drive","hostile","tracker"],["create_note","get_lead","list_leads","search_leads","update_lead"],["ToolError","did you mean `tracker`?","did you mean `get_lead`?"],true,["get_lead(...)",true],"getLead"]
# logs: any
import contextlib, io
from servers import crm

there = [hasattr(servers, "crm"), hasattr(servers, "trackr"), getattr(servers, "trackr", None),
         hasattr(crm, "get_lead"), hasattr(crm, "get_leed"), getattr(crm, "get_leed", None), hasattr(crm, "Get-Lead")]
hints = []
for owner, name in ((servers, "trackr"), (crm, "get_leed")):
    try:
        getattr(owner, name)
    except AttributeError as error:
        assert isinstance(error, ToolError)
        hints.append(error.hint)
told = io.StringIO()
with contextlib.redirect_stdout(told):
    help(crm.get_lead)
lines = told.getvalue().splitlines()
[there, dir(servers), dir(crm), ["ToolError", *hints], "def get_lead(*,\nid: str," in crm.get_lead.__doc__,
 [lines[2], "Id of the lead" in told.getvalue()], crm.getLead.__name__]
