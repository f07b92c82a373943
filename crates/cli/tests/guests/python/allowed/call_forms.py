# expect: output ["L-0042","L-0042","L-0042","L-0042","L-0042","L-0042","3","3","3","3","odd-name.with.dots 3","odd-name.with.dots 4","read_quietly 5"]
# calls: 13
from servers import crm, hostile

result = [
    crm.get_lead("L-0042")["id"],
    crm.get_lead(id="L-0042").id,
    crm.get_lead({"id": "L-0042"}).id,
    crm.getLead(id="L-0042").id,
    servers.crm.get_lead(id="L-0042").id,
    servers["crm"].get_lead(id="L-0042").id,
    hostile.add(1, 2),
    hostile.add(a=1, b=2),
    hostile.add(1, b=2),
    hostile.add({"a": 1}, b=2),
    getattr(hostile, "odd-name.with.dots")(target="3"),
    hostile.odd_name_with_dots(target="4"),
    hostile.ReadQuietly(target="5"),
]
