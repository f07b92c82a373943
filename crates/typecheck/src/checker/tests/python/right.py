import asyncio, functools, json, re
from concurrent.futures import ThreadPoolExecutor
import servers
import servers.crm
from servers import crm, ToolError as Failed
from servers.crm import get_lead as get

lead = crm.get_lead("a")
awaited = await crm.get_lead(id="x")
print(lead.name.upper(), awaited["name"].upper(), lead.get("zzz").foo, get("x").tags[0])
first, second = await asyncio.gather(crm.get_lead("a"), crm.names())
first.name.upper(), second[0].upper()
many = await asyncio.gather(*(crm.get_lead(id=each) for each in ["a", "b"]), return_exceptions=True)
print([each.name for each in many if not isinstance(each, BaseException)])
task = asyncio.create_task(crm.list_leads(limit=3, stage=None))
page = await task
print(page.leads[0].name, page["items"][0]["id"], page.items())

async def main():
    async with asyncio.TaskGroup() as group:
        begun = group.create_task(crm.get_lead("b"))
    names = await asyncio.wait_for(crm.names(), 3)
    return begun.result().name.upper() + names[0]

out = await main()
crm.update_lead({"id": "x", "tags": ["a"]})
text = await crm.tag_lead("x", ["a"])
text.upper(), crm.tag_lead({"id": "x", "tags": ["a"]}).lower(), crm.tag_lead({"id": "x"}, tags=[])
for name in crm.names():
    name.upper()
lead["extra"] = 5
lead.name = "x"
print(crm.counts().anything + 1, crm.counts()["x"] + 1, lead | {"a": 1}, json.dumps(lead))

async def one(id):
    try:
        return await crm.get_lead(id=id)
    except ToolError as error:
        return error.message, error.code, error.hint

done, pending = await asyncio.wait([asyncio.ensure_future(crm.names())])
completed = [await each for each in asyncio.as_completed([crm.get_lead(text) for text in "xy"])]
with ThreadPoolExecutor() as pool:
    print([each.name for each in pool.map(crm.get_lead, ["a"])])
called = await call_tool("a__b", {})
print(call_tool("a", "b", {}), call_tool("a__b", raw=True), called.x, read_file("x"), commands.run("x", []))
print(list(servers), servers["crm"].anything, servers.crm.other(1), crm.listLeads(), getattr(crm, "odd-name")(1))
print(re.match("a", "b").group(), functools.partial(crm.get_lead, id="x")())
if not lead.tags:
    return {"a": 1}
asyncio.run(main())
search_tools("x", detail="full")
domain = await pii.domain("[EMAIL_1]")
print(domain, pii.mask(["[EMAIL_1]"])[0].upper(), pii.equals("[EMAIL_1]", "[EMAIL_2]"))
result = sorted(page.leads, key=lambda each: each["name"])[:3]
