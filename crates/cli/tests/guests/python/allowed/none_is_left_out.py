# expect: output [2,true]
# Where a tool takes no null, None is what has no value yet.
page = servers.crm.list_leads(limit=2, cursor=None)
[len(page.leads), page.next_cursor != ""]
