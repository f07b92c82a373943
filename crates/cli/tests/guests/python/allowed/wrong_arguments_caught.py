# expect: output ["call.bad_argument","write `id` instead of `ID`","crm","get_lead"]
try:
    servers.crm.get_lead(ID="L-0042")
except ToolError as error:
    result = [error.code, error.hint, error.server, error.tool]
